"""What a message asks for: its content words, and whether it goes on from the message before it. Pure."""

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from app.internal_api.engines.engine import Turn
from app.internal_api.knowledge.terms import STOP_WORDS, TELLING, fold, grams_of, guess_language, stem, words_of

WORDS = tomllib.loads(Path(__file__).with_name("words.toml").read_text(encoding="utf-8"))
LISTS = {name: frozenset(words.split()) for name, words in WORDS["survey"].items()}
PATTERNS = {name: re.compile(pattern.replace("\n", "")) for name, pattern in WORDS["patterns"].items()}
NUMBERS = {word: str(number) for number, words in enumerate(WORDS["numbers"]) for word in words.split()}
"""Words of numbers, folded, with their digits."""
LONGEST = 2_000  # characters of a message that are read
MOST_TERMS = 40
_EMPTY = STOP_WORDS.union(WORDS["asking"].split())
_SMALL_TALK = frozenset(WORDS["small_talk"].split())
_PART = re.compile(r"[^.!?,;:]+[.!?,;:]*\s*|[.!?,;:]+\s*")
_AMOUNT = rf"(?:(?!(?:1[5-9]|20)\d\d\b)\d[\d.,]*|{'|'.join([*WORDS['amounts'].split(), *NUMBERS])})"
_PLACEHOLDERS: dict[str, str] = {"AMOUNT": _AMOUNT, "NAME": r"(?-i:[A-Z]\w+)", **WORDS["parts"]}


def _whole(pattern: str) -> str:
    """The pattern with what its names in capitals stand for."""
    return re.sub("|".join(_PLACEHOLDERS), lambda name: _PLACEHOLDERS[name[0]], pattern).replace("\n", "")


_KINDS = [tuple(_whole(kind[part]) for part in ("asks", "words", "shows")) for kind in WORDS["kinds"]]
_COURTESY = {kind: re.compile(_whole(pattern)) for kind, pattern in WORDS["courtesy"].items()}
_CLAUSE, _ALONE = (re.compile(_whole(WORDS[name])) for name in ("clause", "alone"))
_MANNER = re.compile(r"\W*(?:how|why|wie|warum|comment|pourquoi|como|por que)\b")
_LEANS = re.compile(
    r"^\W*(?:and|but|so|why|what about|how about|really|more|go on|else|und|aber|warum|mehr|et|mais|pourquoi|y|pero)\b"
    r"|\b(?:it|its|this|that|these|those|they|them|he|she|there|more|else)\b"
)
FORMS = {word: verb.split() for verb in WORDS["verbs"].split(",") for word in verb.split()}
"""Verbs that no stemmer knows in all of their forms, by each of these."""
_VERBS = frozenset(["be", "do", "have"])
_PREFIX = re.compile(r"\b\w-(?=\w)")  # of `e-bike`, which is a bike
_LONGEST_COURTESY = 12  # words
_FEW = 2  # so few words of its own make a question lean on the one before


@dataclass(frozen=True, slots=True)
class Question:
    """A message as the engine reads it.

    `text` is what to search the knowledge for: the message, with the one before it when it leans on that; empty where
    there are no terms. These are its content words by their stems: none of a greeting, thanks, or a question about the
    persona itself.
    """

    text: str
    language: str  # that its words, and those of the passages, are stemmed in
    terms: Mapping[str, str]
    follows_up: bool  # whether the terms are those of an earlier message as well
    courtesy: str = ""  # such as `thanks` or `goodbye` where the message says nothing else
    needs: str = ""  # a pattern of what an answer has to have besides, folded, such as money or a time
    is_exact: bool = False  # whether that names the subject as well
    clause: Sequence[str] = ()  # of "when did the shop open?" its auxiliary, and the words of who does what


def read_question(turns: Sequence[Turn], persona_name: str = "") -> Question:
    """Read the last message of the person in the light of the ones before it."""
    asked = [_without_address(turn.content[:LONGEST], persona_name) for turn in turns if turn.role == "user"]
    text = asked[-1] if asked else ""
    folded = fold(text)
    is_short = len(words_of(text)) <= _LONGEST_COURTESY
    courtesies = ((kind, said.search(folded)) for kind, said in _COURTESY.items() if is_short)
    if courtesy := next(((kind, found[0]) for kind, found in courtesies if found), None):
        return Question("", guess_language(words_of(courtesy[1])), {}, follows_up=False, courtesy=courtesy[0])
    text = "".join(part for part in _PART.findall(text) if not _ALONE.search(fold(part)))
    folded = fold(text)
    # The last earlier message that had a subject, which "and why?" and "tell me more" go on about.
    before = next((earlier for earlier in reversed(asked[:-1]) if _content_words(earlier)), "")
    words = _content_words(text)
    leans = bool(before) and len(words) <= _FEW and bool(_LEANS.search(folded))
    if leans:
        text, words = f"{before} {text}", [*words, *_content_words(before)]
    elif not words:
        text = ""
    language = guess_language(words_of(text))
    spared, needs, is_exact = _needs(fold(text), language)
    named = [word for word in words if word not in spared] or words
    terms = {stem(word, language): word for word in named[:MOST_TERMS]}
    if len(terms) == 1 and (found := _MANNER.match(fold(text))) and (not needs or found[0].endswith("why")):
        needs = "(?!)"  # how and why something is, no sentence tells only because it has that word
    done = _CLAUSE.search(fold(text))
    clause = [done[1], *(word for word in words_of(done[2]) if word not in STOP_WORDS - _VERBS)] if done else []
    return Question(text, language, terms, leans, needs=needs, is_exact=is_exact, clause=clause)


def _needs(folded: str, language: str) -> tuple[Sequence[str], str, bool]:
    """The words of asking that an answer need not have, a pattern of what it has to have, and whether that is exact."""
    for asks, words, shows in _KINDS:
        if found := re.search(asks, folded):
            counted = next((stem(group, language).removesuffix("i") for group in found.groups() if group), "")
            return words.split(), shows.replace("COUNTED", counted), "COUNTED" in shows
    return (), "", False


def _content_words(text: str) -> list[str]:
    """The folded words that name a subject, in their order; scripts without blanks as pairs of characters.

    None of small talk, and of a question about the persona itself.
    """
    own = words_of(_PREFIX.sub("", text))
    empty = _EMPTY | TELLING[guess_language(own)]
    words = [*(word for word in own if word not in empty), *grams_of(text)]
    return [] if _SMALL_TALK.issuperset(words) else words


def _without_address(text: str, name: str) -> str:
    """The text without "Ada, …" and "…, Ada?", where the name only says who is spoken to."""
    names = "|".join(re.escape(part) for part in [name, *name.split()] if part.strip())
    address = rf"(?i)\A\W*(?:(?:(?:good|guten|buen[ao]s) )?\w+ )?(?:{names})\s*(?:[,:!.]|\Z)|,\s*(?:{names})\W*\Z"
    return re.sub(address, " ", text) if names else text
