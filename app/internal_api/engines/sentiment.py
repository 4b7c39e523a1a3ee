"""How far a text speaks for or against its subject, by a small lexicon: a rough measure, and always the same one."""

import re
from collections.abc import Sequence

from app.internal_api.engines.extractive.stopwords import DEFAULT, guess_language
from app.internal_api.engines.extractive.terms import stem, tokens
from app.internal_api.engines.sentiment_words import ABLE, BLAME, INTENSIFY, NEGATE, PRAISE, WEAKEN

LONGEST = 20_000  # characters that are read
_CLAUSE = re.compile(r"[.,;:!?()\n\u2013\u2014…]+")
_REACH = 3  # words that a negation reaches forward
_BACK = 3  # words after which German and French may still negate: "gefällt mir nicht", "n'aime pas"
_NEGATES_BEHIND = {"de": frozenset({"nicht", "nie"}), "fr": frozenset({"pas", "jamais"})}
_NEGATED = -0.75  # "not bad" is less than good
# "It could be better" says that it is not.
_WANTING = frozenset(["could", "should", "konnte", "sollte", "podria", "deberia", "pourrait", "devrait"])
_BETTER = frozenset(
    [
        "better",
        "improve",
        "improved",
        "faster",
        "easier",
        "cheaper",
        "clearer",
        "quicker",
        "safer",
        "friendlier",
        "besser",
        "verbessern",
        "schneller",
        "einfacher",
        "mejor",
        "mejorar",
        "mieux",
        "meilleur",
        "meilleure",
        "ameliorer",
    ]
)
_STRONGER, _WEAKER = 1.5, 0.6


def _values(language: str) -> dict[str, float]:
    """Stems first, so that inflections are known; the words themselves win over a stem that both sides share."""
    sides = ((PRAISE[language].split(), 1.0), (BLAME[language].split(), -1.0))
    stems = {stem(word, language): value for words, value in sides for word in words}
    return stems | {word: value for words, value in sides for word in words}


_VALUES = {language: _values(language) for language in PRAISE}  # a constant, made once
_NEGATE = {language: frozenset(words.split()) for language, words in NEGATE.items()}
_INTENSIFY = {language: frozenset(words.split()) for language, words in INTENSIFY.items()}
_WEAKEN = {language: frozenset(words.split()) for language, words in WEAKEN.items()}
_ABLE = {language: frozenset(words.split()) for language, words in ABLE.items()}


def sentiment_of(text: str, language: str | None = None, besides: frozenset[str] = frozenset()) -> float:
    """From -1 (against) to 1 (in favour); 0 where no word of the lexicon occurs, or as many on both sides.

    Stems that are named `besides` take no side here, since they name what is spoken of.
    """
    spoken = language if language in _VALUES else guess_language(tokens(text[:LONGEST]))
    clauses = map(tokens, _CLAUSE.split(text[:LONGEST]))
    told = [value for clause in clauses for value in _told(clause, spoken or DEFAULT, besides)]
    weight = sum(map(abs, told))
    return round(sum(told) / (weight + 1), 3) if told else 0.0


def _told(words: Sequence[str], language: str, besides: frozenset[str]) -> list[float]:
    """What each word of the lexicon in a clause amounts to."""
    found = []
    for at, word in enumerate(words):
        value = _value(word, language, besides)
        if value and not _only_negates(words, at, language):
            found.append(value * _strength(words, at, language))
        elif word in _ABLE[language] and _negated(words, at, language):
            found.append(_NEGATED)
    return found


def _value(word: str, language: str, besides: frozenset[str]) -> float:
    values = _VALUES[language]
    degree = word in _INTENSIFY[language] or word in _WEAKEN[language]  # "strongly" is no praise
    cut = stem(word, language)
    if besides and cut in besides:
        return 0.0
    return values.get(word) or (0.0 if degree else values.get(cut, 0.0))


def _only_negates(words: Sequence[str], at: int, language: str) -> bool:
    """As "no" in "no problem", which counts with the word that it negates."""
    if words[at] not in _NEGATE[language]:
        return False
    return any(word in _VALUES[language] for word in words[at + 1 : at + 1 + _REACH])


def _strength(words: Sequence[str], at: int, language: str) -> float:
    near = words[max(0, at - 1) : at]
    degree = _STRONGER if _INTENSIFY[language].intersection(near) else 1.0
    degree = _WEAKER if _WEAKEN[language].intersection(near) else degree
    return degree * (_NEGATED if _negated(words, at, language) else 1.0)


def _negated(words: Sequence[str], at: int, language: str) -> bool:
    before = words[max(0, at - _REACH) : at]
    behind = words[at + 1 : at + 1 + _BACK]
    wanting = words[at] in _BETTER and not _WANTING.isdisjoint(before)
    turned = wanting or any(word in _NEGATE[language] for word in before)
    return turned or any(word in _NEGATES_BEHIND.get(language, ()) for word in behind)
