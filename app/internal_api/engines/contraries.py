"""Whether two parts of open answers say contraries, by negations and opposite words of four languages. Pure."""

import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from app.internal_api.knowledge.terms import STOP_WORDS, fold, guess_language, stem, words_of

_TABLE = tomllib.loads(Path(__file__).with_name("contraries.toml").read_text(encoding="utf-8"))
NEGATIONS, _ASKS_FOR_CHANGE, _EXCESS = (
    frozenset(_TABLE[name].split()) for name in ("negations", "asks_for_change", "excess")
)
_ENDS: dict[str, set[tuple[int, int]]] = {}
for _scale, _words in enumerate(_TABLE["scales"]):
    for _side, _end in enumerate(_words.split("|"), start=2 * (_words.count("|") > 1)):  # 2 and more: one of several
        for _word in _end.split():
            _ENDS.setdefault(_word, set()).add((_scale, _side))
NOTHING: Sequence[str] = _TABLE["nothing"]
"""Answers of who has no view."""
_PHRASES: dict[str, str] = _TABLE["phrases"]
_PHRASE = re.compile("|".join(map(re.escape, _PHRASES)))
CLAUSE = re.compile(
    r"[.!?;:…]+(?=\s|\Z)|\n+|,\s|\s(?:and|plus|but|also|because|since|und|aber|weil|et|mais|car|y|pero|porque)\s"
)
_SET_BACK = re.compile(r"\b(?:over|than|instead of|statt|als|plutot que|que|en vez de)\b.*")
_OPPOSITE = re.compile(r"\A(?:(?:un|dis|des|ir)(?=[a-z]{4})|i[nm](?=poli|comod|complet|convenien|effi|patien|practic))")
_REACH = 3  # words after a negation that it turns
_SHARED = 0.5  # of the words of the shorter of two, from which on they speak of the same
_STEM, _INFLECTED = 4, 3  # letters of a word that stands for its inflected forms, and how many those have more


@dataclass(frozen=True, slots=True)
class Saying:
    """One clause: the stems said, those of them that are negated or set back, and the ends of scales."""

    said: frozenset[str]
    turned: frozenset[str]
    ends: frozenset[tuple[int, int]]

    def contradicts(self, other: "Saying") -> bool:
        if any(scale == same and side != end for scale, side in self.ends for same, end in other.ends):
            return True
        shared = self.said & other.said
        same = len(shared) > _SHARED * min(len(self.said), len(other.said))
        return same and not shared.isdisjoint(self.turned ^ other.turned)


def are_contrary(one: str, other: str, question: str) -> bool:
    """Whether a clause of the one says the contrary of a clause of the other."""
    return any(said.contradicts(against) for said in sayings(one, question) for against in sayings(other, question))


@lru_cache(4_096)
def sayings(text: str, question: str) -> tuple[Saying, ...]:
    """What each clause says, where it may be contradicted."""
    asked, language = frozenset(words_of(question)), guess_language(words_of(text))
    read = [_PHRASE.sub(lambda found: _PHRASES[found[0]], fold(clause)) for clause in CLAUSE.split(text)]
    if not _ASKS_FOR_CHANGE.isdisjoint(asked):
        read = [clause for clause in read if not _EXCESS.isdisjoint(words_of(clause))]
    return tuple(_saying(clause, asked, language) for clause in read if words_of(clause))


def _saying(clause: str, asked: frozenset[str], language: str) -> Saying:
    words = words_of(re.sub(r"n?['\u2019]t\b", " nt", clause))
    before = len(words_of(_SET_BACK.sub("", clause)))  # the words before what is set back (`price over location`)
    bases = [word if _ends_of(word) else _OPPOSITE.sub("", word) for word in words]
    ends_at = [frozenset() if word in asked else _ends_of(base) for word, base in zip(words, bases, strict=True)]
    empty = STOP_WORDS | NEGATIONS | asked
    spoken = [place for place, word in enumerate(words) if ends_at[place] or word not in empty]
    negations = [place for place, word in enumerate(words) if word in NEGATIONS]
    # `The wifi does not work`: what is negated is the whole.
    whole = sum(not any(place < one <= place + _REACH for one in spoken) for place in negations)
    said, turned, ends = set[str](), set[str](), set[tuple[int, int]]()
    for place in spoken:
        turns = whole + (place >= before) + (bases[place] != words[place])
        turns += sum(place - _REACH <= negation < place for negation in negations)
        said.add(stem(bases[place], language))
        if turns % 2:
            turned.add(stem(bases[place], language))
            ends |= {(scale, 1 - side) for scale, side in ends_at[place] if side <= 1}  # "not in May" is no other month
        else:
            ends |= ends_at[place]
    return Saying(frozenset(said), frozenset(turned), frozenset(ends))


def _ends_of(word: str) -> frozenset[tuple[int, int]]:
    """The ends of scales that a word, or the one that it is an inflected form of, names."""
    shortest = max(_STEM, len(word) - _INFLECTED)
    forms = (word, *(word[:length] for length in range(len(word) - 1, shortest - 1, -1)))
    return frozenset(next((_ENDS[one] for one in forms if one in _ENDS), ()))
