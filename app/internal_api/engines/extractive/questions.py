"""A message read as a question: its words, their weight, and what it leans on in the conversation."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from app.internal_api.engines.engine import Turn
from app.internal_api.engines.extractive.asking import Ask, asked_for
from app.internal_api.engines.extractive.intents import Intent, intent_of
from app.internal_api.engines.extractive.stopwords import DEFAULT, FUNCTION, WEAK, guess_language
from app.internal_api.engines.extractive.terms import fold, plain, stem, tokens

LONGEST = 2_000  # characters of a message that are read
_MOST_TERMS = 40
_MOST_SAID = 50_000
WEAK_WEIGHT = 0.3
_EARLIER_WEIGHT = 0.5
_NAME_WEIGHT = 0.6  # the persona may be named after what its knowledge is about
_FEW = 2  # so few words of its own make a question lean on the one before

_WEAK_STEMS = {language: frozenset(stem(word, language) for word in words) for language, words in WEAK.items()}


@dataclass(frozen=True, slots=True)
class Question:
    """A message as the engine reads it: `language` is the one it is written in, `answer_in` the one to answer in.

    `terms` maps each stem to its weight, in the order of asking; `key` are those without which it is not
    answered; `said` is what the persona said so far, when the question goes on from there.
    """

    text: str
    language: str
    answer_in: str
    intent: Intent
    ask: Ask
    terms: dict[str, float]
    names: frozenset[str]
    key: frozenset[str]
    said: str
    follows_up: bool
    wants_more: bool


_LEANS = re.compile(
    r"^\W*(?:and|but|so|why|how so|what about|how about|really|tell me more|more|go on|else)\b"
    r"|^\W*(?:und|aber|warum|wieso|mehr|et|mais|pourquoi|plus|y|pero|por que|mas)\b"
    r"|\b(?:it|its|this|that|these|those|they|them|he|she|there)\b"
    r"|\b(?:davon|dazu|dabei|dieser|diese|dieses|das|cela|ca|celui|celle|eso|esto|ello)\b"
    r"|\b(?:anything else|what else|tell me more|say more|erzahl mehr)\b"
)
_MORE = re.compile(
    r"\b(?:more|go on|continue|else|mehr|weiter|sonst noch|plus|encore|continue[rz]?|autre chose|mas|sigue)\b"
)


def read_question(turns: Sequence[Turn], persona_name: str, language: str | None) -> Question:
    """Read the last message of the person in the light of what was said before it."""
    asked = [fold(turn.content[:LONGEST]) for turn in turns if turn.role == "user"]
    text = asked[-1] if asked else ""
    spoken = _language(asked)
    simple = plain(text)
    own = _terms(text, spoken, persona_name)
    leans = len(asked) > 1 and _strong(own) <= _FEW and (_strong(own) == 0 or bool(_LEANS.search(simple)))
    ask = asked_for(simple, spoken)
    terms = own
    if leans:
        before = _before(asked, spoken, persona_name)
        earlier = _terms(before, spoken, persona_name)
        terms = {**{term: weight * _EARLIER_WEIGHT for term, weight in earlier.items()}, **own}
        ask = asked_for(plain(before), spoken) if ask is Ask.OPEN else ask
    said = fold(" ".join(turn.content for turn in turns if turn.role == "assistant")[-_MOST_SAID:]) if leans else ""
    strongest = max(terms.values(), default=0.0)
    key = frozenset(term for term, weight in terms.items() if weight == strongest)
    return Question(
        text,
        spoken,
        _code(language) or spoken,
        intent_of(simple),
        ask,
        terms,
        _names(text, spoken),
        key,
        said,
        leans,
        leans and bool(_MORE.search(simple)),
    )


def search_text(turns: Sequence[Turn]) -> str:
    """What to search the knowledge for: the last message, with the one before it when it leans on that."""
    question = read_question(turns, "", None)
    asked = [fold(turn.content[:LONGEST]) for turn in turns if turn.role == "user"]
    return f"{_before(asked, question.language, '')} {question.text}" if question.follows_up else question.text


def _before(asked: Sequence[str], language: str, persona_name: str) -> str:
    """The last earlier message that had a subject, which "and why?" and "tell me more" go on about."""
    earlier = list(reversed(asked[:-1]))
    return next((text for text in earlier if _strong(_terms(text, language, persona_name))), earlier[0])


def _code(language: str | None) -> str:
    """`de` of `de-AT` and `de_AT`."""
    return (language or "").strip().lower().replace("_", "-").partition("-")[0]


def _language(asked: Sequence[str]) -> str:
    if asked and any(mark in asked[-1] for mark in "¿¡"):
        return "es"
    earlier = guess_language(tokens(" ".join(asked[:-1])))
    return guess_language(tokens(asked[-1]), earlier) if asked else DEFAULT


def _terms(text: str, language: str, persona_name: str) -> dict[str, float]:
    function, weak = FUNCTION.get(language, FUNCTION[DEFAULT]), _WEAK_STEMS.get(language, _WEAK_STEMS[DEFAULT])
    spoken_to = set(tokens(persona_name))
    scale = asked_for(plain(text), language) is Ask.RATING  # "from 1 to 10" is no subject
    found: dict[str, float] = {}
    for word in tokens(_without_address(text, persona_name)):
        if word in function or len(found) == _MOST_TERMS or (scale and word.isdigit()):
            continue
        cut = stem(word, language)
        found.setdefault(cut, WEAK_WEIGHT if cut in weak else _NAME_WEIGHT if word in spoken_to else 1.0)
    return found


def _without_address(text: str, name: str) -> str:
    """The text without "Ada, …" and "…, Ada?", where the name only says who is spoken to."""
    names = "|".join(re.escape(part) for part in [name, *name.split()] if part.strip())
    return re.sub(rf"(?i)\A\W*(?:\w+ )?(?:{names})\s*[,:!]|,\s*(?:{names})\W*\Z", " ", text) if names else text


def _strong(terms: dict[str, float]) -> int:
    return sum(weight == 1.0 for weight in terms.values())


def _names(text: str, language: str) -> frozenset[str]:
    """Stems of the proper names in a question: capitals inside it (German nouns all have one) and numbers."""
    words = text.split()[1:] if language != "de" else []
    named = [word for word in words if word[:1].isupper() and not word.isupper()]
    return frozenset(stem(token, language) for token in tokens(" ".join(named)))
