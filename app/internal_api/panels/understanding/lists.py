"""Options that stand in a list: one a line, lettered or numbered, behind a colon, in brackets."""

import re
from collections.abc import Sequence
from itertools import pairwise

from app.internal_api.panels.understanding.attitudes import asks_for_degree
from app.internal_api.panels.understanding.choices import asks_to_choose
from app.internal_api.panels.understanding.joints import shielded
from app.internal_api.panels.understanding.options import presented
from app.internal_api.panels.understanding.reading import Reading

_ITEM = re.compile(r"(?:[-*+•‣◦▪□☐○] ?|\[ ?\] ?|\(?(?:\d{1,2}|[a-z])[.):](?: |(?=[^\W\d])))(?=\S)")
_MARK = re.compile(r"(?:(?<=\s)|\A|(?<=[:,;?]))\(?(\d{1,2}|[a-z])\)[ ]?(?=\S)")
_OR = re.compile(r",? (?:(?:and|und)/)?(?:or|oder|ou|o|u|vs\.?|versus)(?: else)? (?=\S)")
_COMMA = re.compile(r", |,(?!\d)|(?<!\d),|\x1f")  # within a number it separates nothing
_AND = re.compile(r" (?:and|und|et|y) (?=\S)")
_AND_OR_SIGN = re.compile(r" (?:and|und|et|y|&) (?=\S)")
_COMMA_AND = re.compile(r", (?:and|und|et|y) (?=\S)")
# "1,2,3" and "18-24,25-34,35-44" are lists, "1,5" and "1,000" are numbers.
_RUN = re.compile(r"(?<![\d,.])\d{1,2}(?:-\d{1,2})?(?:,\d{1,2}(?:-\d{1,2})?){2,50}(?![\d,])")
_HARD = re.compile(r" ?[;|] ?| / ")
_SLASH = re.compile(r"(?<=[^\W\d])/(?=[^\W\d])")
_GROUP = re.compile(r"\(([^()\n]{3,800})\)|\[([^\[\]\n]{3,800})\]")
_EXAMPLES = re.compile(
    r"(?:\b(?:e\.?g\.?|i\.?e\.?|such as|for (?:example|instance)|like|including|z\. ?b\.?|zum beispiel"
    r"|wie etwa|por ejemplo|como"
    r"|par exemple|comme)[,:]? ?)\Z"
)
# A verb, after whom it speaks of: "Which fruits do you like: …", "would your kids like, …".
_WHO_LIKES = re.compile(
    r"\b(?:you|we|they|i|would|(?:do|does|did|would) (?:(?:your|our|their|the|these|most|many) )?\w+)"
    r"(?: (?:really|also|both|all|usually|prefer and))? like[,:]? ?\Z"
)
_LISTED_EXAMPLE = re.compile(
    r"\A ?(?:e\.?g\b|i\.?e\b|such as|for (?:example|instance)|including|like |z\. ?b|por ejemplo|par exemple)"
)
_ARTICLE = re.compile(r"(?:(?:and|or) )?(?:an?|the) (?=\w)", re.IGNORECASE)
_ASKING_LINE = re.compile(r"[?:][)\]\"'”»]* ?\n")
# No sentence, and no closing words of a letter.
_PLAIN_LINE = re.compile(
    r"(?!thank|best,|regards|kind |danke|viele gr|mit freundlich|gracias|merci)[^\n]{0,79}[^\n.!?:;,…]"
)
_FIGURES = re.compile(r"[\d .,%-]+")
_LONGEST_REGION = 4_000


def lines(reading: Reading) -> tuple[tuple[str, ...], int]:
    """The longest run of list lines, and where it begins; nothing where there are fewer than two."""
    runs: list[list[tuple[int, str]]] = [[]]
    at = 0
    for line in reading.simple.split("\n"):
        match = _ITEM.match(line)
        if match:
            runs[-1].append((at, reading.text[at + match.end() : at + len(line)]))
        elif runs[-1]:
            runs.append([])
        at += len(line) + 1
    longest = max(runs, key=len)
    return (presented(text for _, text in longest), longest[0][0]) if len(longest) > 1 else ((), 0)


def plain_lines(reading: Reading) -> tuple[tuple[str, ...], int]:
    """Short lines without marks that end the text, below one that ends as a question or an announcement does."""
    ends = [match.end() for match in _ASKING_LINE.finditer(reading.masked)]
    start = ends[-1] if ends else 0
    below = reading.masked[start:].split("\n")
    lead = reading.masked[:start]
    if not ends or asks_for_degree(lead) or not (asks_to_choose(lead) or "?" in lead):
        return (), 0
    if len(below) < 2 or not all(map(_PLAIN_LINE.fullmatch, below)) or all(map(_FIGURES.fullmatch, below)):  # noqa: PLR2004 - as above
        return (), 0
    return presented(reading.text[start:].split("\n")), start


def lettered(reading: Reading) -> tuple[tuple[str, ...], int]:
    """As in "(a) tea (b) coffee", "1) tea 2) coffee": in their order from the first letter or number on."""
    marks = ordered(list(_MARK.finditer(reading.masked)))
    if len(marks) < 2:  # noqa: PLR2004 - one item is no list
        return (), 0
    ends = [*(after.start() for _, after in pairwise(marks)), _end_of_last(reading, marks[-1].end())]
    return presented(reading.text[mark.end() : end] for mark, end in zip(marks, ends, strict=True)), marks[0].start()


def split(reading: Reading, start: int, end: int, *, conjoined: bool = False) -> tuple[str, ...]:
    """The options in a piece of the wording; `conjoined` lets "and" separate them, too."""
    if not 0 < end - start <= _LONGEST_REGION:
        return ()
    masked = shielded(reading.masked[start:end])
    masked = _RUN.sub(lambda match: match.group().replace(",", "\x1f"), masked)
    if _LISTED_EXAMPLE.match(masked) or _only_examples(reading.masked, start):
        return ()
    pieces = cut(masked, [_HARD]) or cut(masked, _joints(masked, conjoined=conjoined)) or cut(masked, [_SLASH])
    texts = [reading.text[start + low : start + high].strip() for low, high in pieces]
    if all(_ARTICLE.match(text) for text in texts):
        texts = [_ARTICLE.sub("", text, count=1) for text in texts]
    return presented(texts)


def _only_examples(masked: str, start: int) -> bool:
    """Whether what begins here are examples by the words before it, as in "services such as …"."""
    return bool(_EXAMPLES.search(masked, max(0, start - 20), start)) and not _WHO_LIKES.search(
        masked, max(0, start - 60), start
    )


def groups(masked: str, start: int, end: int) -> list[tuple[int, int]]:
    """What stands in brackets inside a piece of the wording."""
    return [match.span(match.lastindex or 0) for match in _GROUP.finditer(masked, start, end)]


def _joints(masked: str, *, conjoined: bool) -> list[re.Pattern[str]]:
    """What separates: "and" only before the last of a list without "or", since it also stands inside names."""
    if _OR.search(masked):
        return [_COMMA, _OR]
    if not _COMMA.search(masked):
        found = next((sign for sign in (_AND, _AND_OR_SIGN) if sign.search(masked)), None)
        return [found] if conjoined and found and len(found.findall(masked)) == 1 else []
    if _COMMA_AND.search(masked):
        return [_COMMA, _COMMA_AND]
    ands = [match.start() for match in _AND.finditer(masked)]
    last_comma = max(match.start() for match in _COMMA.finditer(masked))
    return [_COMMA, _AND] if len(ands) == 1 and ands[0] > last_comma else [_COMMA]


def cut(masked: str, separators: Sequence[re.Pattern[str]]) -> list[tuple[int, int]]:
    """The pieces between the separators; nothing where there is none."""
    spans = _widest(sorted({match.span() for pattern in separators for match in pattern.finditer(masked)}))
    if not spans:
        return []
    ends = [low for low, _ in spans] + [len(masked)]
    return list(zip([0, *(high for _, high in spans)], ends, strict=True))


def _widest(spans: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Of separators that overlap, as "," and ", or " do, one."""
    kept: list[tuple[int, int]] = []
    for low, high in spans:
        if kept and low < kept[-1][1]:
            kept[-1] = kept[-1][0], max(high, kept[-1][1])
        else:
            kept.append((low, high))
    return kept


def ordered(marks: Sequence[re.Match[str]]) -> list[re.Match[str]]:
    """Those that count from the first letter or number on."""
    kept: list[re.Match[str]] = []
    for match in marks:
        if match[1] in {chr(ord("a") + len(kept)), str(len(kept) + 1)} and (
            not kept or match[1].isdigit() == kept[0][1].isdigit()
        ):
            kept.append(match)
    return kept


def _end_of_last(reading: Reading, start: int) -> int:
    """The last item ends with its sentence."""
    ends = [sentence.end for sentence in reading.sentences if sentence.end > start]
    return ends[0] if ends else len(reading.text)
