"""Near synonyms of everyday English: a question seldom uses the words of the page that answers it."""

from app.internal_api.engines.extractive.terms import stem

STRENGTH = 0.5

_GROUPS = """
cost price fee expensive cheap pay afford charge free
begin start
buy purchase
benefit advantage gain profit
problem issue trouble fault difficult challenge
drawback disadvantage downside risk
bike bicycle cycle ride cyclist cycling rider tricycle
car driver driving
job employment career
kid child
fast quick speed rapid
hot warm heat temperature cool degree
old ancient history origin
old age
die death
born birth
safe safety secure dangerous accident protect
clean wash rinse wipe flush
fix repair mend maintain maintenance service
choose select pick
need require necessary must
teach learn education course class lesson
borrow lend loan
invent create develop pioneer patent
found establish
taste flavour flavor sour bitter sweet
rain wet dry weather snow
money budget fund tax finance cost
price budget cost
grind grinder
lock theft steal stolen thief
clothes clothing wear jacket shirt
ebook digital electronic online
open hour close
light lamp visible
health healthy fit fitness exercise
environment climate emission carbon
"""


def _index() -> dict[str, frozenset[str]]:
    index: dict[str, frozenset[str]] = {}
    for line in _GROUPS.split("\n"):
        group = frozenset(stem(word, "en") for word in line.split())
        for word in group:
            index[word] = index.get(word, frozenset()) | group
    return index


_BY_STEM = _index()  # a constant, made once


def synonyms(term: str, language: str) -> frozenset[str]:
    """Stems that may stand for this one; only English has a list."""
    return _BY_STEM.get(term, frozenset()) - {term} if language == "en" else frozenset()
