"""What a message asks for: its content words, and whether it goes on from the message before it. Pure."""

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from app.internal_api.engines.engine import Turn
from app.internal_api.knowledge.terms import STOP_WORDS, fold, grams_of, guess_language, stem, words_of

WORDS = tomllib.loads(Path(__file__).with_name("words.toml").read_text(encoding="utf-8"))
NUMBERS = {word: str(number) for number, words in enumerate(WORDS["numbers"]) for word in words.split()}
"""Words of numbers, folded, with their digits."""
LONGEST = 2_000  # characters of a message that are read
MOST_TERMS = 40
_EMPTY = STOP_WORDS.union(WORDS["asking"].split())
_ITSELF = frozenset(WORDS["itself"].split())
_COURTESY = {kind: frozenset(words.split()) for kind, words in WORDS["courtesy"].items()}
_AMOUNT = re.compile(r"\b(?:how (?:many|much)|wie ?viele?|combien|cuant[oa]s?)\b")
_COUNTED = re.compile(r"\b(?:how many|wie viele|combien d[e']|cuant[oa]s) ?(\w+)")
_LEANS = re.compile(
    r"^\W*(?:and|but|so|why|what about|how about|really|more|go on|else|und|aber|warum|mehr|et|mais|pourquoi|y|pero)\b"
    r"|\b(?:it|its|this|that|these|those|they|them|he|she|there|more|else)\b"
)
_DIGITS = "|".join([*NUMBERS, *WORDS["tens"].split()])
_NUMBER = rf"(?<![\w.,])(?:\d[\d.,]*|(?:{_DIGITS})(?:[ -](?:{_DIGITS}))*)"
_FEW = 2  # so few words of its own make a question lean on the one before


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of answers: how it is asked for, the words of asking that it need not hold, and what it has to hold."""

    asks: re.Pattern[str]
    words: frozenset[str]
    shows: re.Pattern[str]


def _kind(asks: str, words: str, shows: str) -> Kind:
    shows = shows.replace("\n", "").replace("NUMBER", _NUMBER)
    return Kind(re.compile(asks), frozenset(words.split()), re.compile(shows))


_KINDS = [_kind(**kind) for kind in WORDS["kinds"]]


@dataclass(frozen=True, slots=True)
class Question:
    """A message as the engine reads it.

    Attributes:
        text: what to search the knowledge for: the message, with the one before it when it leans on that.
        language: the one that its words, and those of the passages, are stemmed in.
        terms: the stems of its content words, with each as it was asked, but those of its kind; empty for a greeting,
            thanks, or a question about the persona itself.
        follows_up: whether the terms are those of an earlier message as well.
        courtesy: `thanks` or `goodbye` where the message says nothing else; then there is nothing to search for.
        wants_amount: whether it asks how many or how much.
        counted: the stem of what it asks how many there are of; empty where it does not.
        kind: what an answer has to hold, such as money or a date; None where that is not known.

    """

    text: str
    language: str
    terms: Mapping[str, str]
    follows_up: bool
    courtesy: str = ""
    wants_amount: bool = False
    counted: str = ""
    kind: Kind | None = None


def read_question(turns: Sequence[Turn], persona_name: str = "") -> Question:
    """Read the last message of the person in the light of the ones before it."""
    asked = [_without_address(turn.content[:LONGEST], persona_name) for turn in turns if turn.role == "user"]
    text = asked[-1] if asked else ""
    if courtesy := _courtesy(text):
        return Question("", guess_language(words_of(text)), {}, follows_up=False, courtesy=courtesy)
    # The last earlier message that had a subject, which "and why?" and "tell me more" go on about.
    before = next((earlier for earlier in reversed(asked[:-1]) if _content_words(earlier)), "")
    words = _content_words(text)
    leans = bool(before) and len(words) <= _FEW and bool(_LEANS.search(fold(text)))
    if leans:
        text, words = f"{before} {text}", [*words, *_content_words(before)]
    elif _ITSELF.issuperset(words):
        words = []
    language = guess_language(words_of(text))
    kind = next((each for each in _KINDS if each.asks.search(fold(text))), None)
    asked_for = [word for word in words if kind is None or word not in kind.words] or words
    terms = {stem(word, language): word for word in asked_for[:MOST_TERMS]}
    many = _COUNTED.search(fold(text))
    counted = stem(many[1], language) if many and many[1] not in STOP_WORDS else ""
    amount = bool(_AMOUNT.search(fold(text)))
    return Question(text, language, terms, leans, wants_amount=amount, counted=counted, kind=kind)


def search_text(turns: Sequence[Turn], persona_name: str = "") -> str:
    """What to search the knowledge for; empty for a courtesy."""
    return read_question(turns, persona_name).text


def _courtesy(text: str) -> str:
    words = {word for word in words_of(text) if word not in STOP_WORDS or word in _COURTESY["goodbye"]}
    named = [kind for kind in WORDS["replies"] if words & _COURTESY[kind]]
    return named[-1] if named and words <= frozenset[str]().union(*_COURTESY.values()) else ""


def _content_words(text: str) -> list[str]:
    """The folded words that name a subject, in their order; scripts without blanks as pairs of characters."""
    return [*(word for word in words_of(text) if word not in _EMPTY), *grams_of(text)]


def _without_address(text: str, name: str) -> str:
    """The text without "Ada, …" and "…, Ada?", where the name only says who is spoken to."""
    names = "|".join(re.escape(part) for part in [name, *name.split()] if part.strip())
    return re.sub(rf"(?i)\A\W*(?:\w+ )?(?:{names})\s*(?:[,:!.]|\Z)|,\s*(?:{names})\W*\Z", " ", text) if names else text
