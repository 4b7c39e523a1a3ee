"""Which options a reply means in other words, or in another language, by the extra `embeddings`.

A clause means the option that it is near, and clearly nearer than any other. Only a denial means one that denies.
"""

import re
import tomllib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from app.internal_api.engines.contraries import NEGATIONS, are_contrary
from app.internal_api.knowledge.terms import STOP_WORDS, words_of

CLEARLY = 0.05  # how much less the cosine of a clause is to any other option than to the one that it means
NEAR, ALONE, NAME = 0.60, 0.68, 0.73  # that and its cosine, together; where the clause is one word; where the option is
UNLIKE, WORD_UNLIKE = 0.26, 0.40  # below it, a clause, or one of one word, speaks of no option
UNCLEAR = "?"  # stands for an option that is meant, though not clear which
LONGEST, TOGETHER = 12, 3  # words of a clause, and clauses that may name one option: "cakes and tarts"
OWN = 0.07  # how much nearer the core of a clause is that says more of the option, such as that it is hated
SHORTEST = 3  # letters of the longest word
_WORDS = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
_CONJUNCTIONS, _JOINING = ("|".join(_WORDS[name].split()) for name in ("between", "joins"))
_BETWEEN = re.compile(rf"{_WORDS['signs']}|\bqu['\u2019]|(?<![\w-])(?:{_CONJUNCTIONS})(?![\w-])", re.IGNORECASE)
_JOINS = re.compile(rf"(?:[\s,/&+]|\b(?:{_JOINING})\b)+", re.IGNORECASE)
_AND = re.compile(r"\s*,?\s*(?:and|und|sowie|dazu|et|y|e)\s*", re.IGNORECASE)
_WORD = re.compile(r"(?:[cdjlmnst]|qu)['\u2019](?=\w)|[^\W_]+(?:[-'\u2019.][^\W_]+)*", re.IGNORECASE)
_SHORT_NOT = re.compile(r"n['\u2019]t\b")
_LEADING = frozenset(_WORDS["small"].split())
_SMALL = NEGATIONS | STOP_WORDS | _LEADING

Embed = Callable[[Sequence[str]], Any]
Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Likely:
    """The option that is nearest to some words, its cosine, and how much more that is than any other's."""

    option: str
    cosine: float
    clearly: float

    def is_meant_by(self, text: str, span: Span) -> bool:
        bound = NAME if len(words_of(self.option)) == 1 else ALONE if _WORD.fullmatch(text, *span) else NEAR
        says_nothing, words = _SMALL.issuperset(words_of(self.option)), text[slice(*span)]
        if says_nothing or _denies(words) != _denies(self.option) or are_contrary(words, self.option, ""):
            return False
        return self.clearly >= CLEARLY and self.cosine + self.clearly >= bound

    def may_be_meant_by(self, text: str, span: Span) -> bool:
        return self.cosine >= (UNLIKE if _WORD.fullmatch(text, *span) is None else WORD_UNLIKE)

    def outdoes(self, whole: "Likely") -> bool:
        """Whether a part of the words of `whole` says that option better, or speaks of another."""
        return self.cosine >= (whole.cosine if self.option == whole.option else UNLIKE)


def wordings(embed: Embed, text: str, options: Sequence[str], *, several: bool) -> dict[str, str]:
    """Those of the options that a clause of `text` means, each with the words that do, an exact part of it.

    Where one may be chosen, these are the whole clause if its core is hardly nearer. Where `several` may, they are the
    core, and UNCLEAR has a clause that an "and" joins to another and that may mean one more, if it is unclear which. Of
    several clauses that mean one option, the last is given.
    """
    pieces = _pieces(text)
    small = _SMALL - _LEADING.intersection(words_of(" ".join(options)))
    small = small - NEGATIONS if any(map(_denies, options)) else small
    apart = {span: piece for piece in pieces if (span := _trimmed(text, piece, small))}
    together = {span for piece in _joined(text, pieces) if (span := _trimmed(text, piece, small))}
    spans = [*apart, *(together - apart.keys())]
    if not spans or len(options) == 1:
        return {}
    names = embed(options)
    rows = embed([text[slice(*span)] for span in spans]) @ names.T
    near = {span: _likely(row, options) for span, row in zip(spans, rows, strict=True)}
    found: list[Span] = []
    for span in sorted(near, key=lambda one: (one not in apart, -near[one].cosine)):
        inside = [near[one] for one in apart if one != span and _overlap(one, span)]
        if near[span].is_meant_by(text, span) and not any(one.outdoes(near[span]) for one in inside):
            found = [*(one for one in found if not _overlap(one, span)), span]
    meant = {near[span].option: span for span in sorted(found)}
    lists = [each for each in _lists(text, pieces) if any(_overlap(one, span) for one in each for span in found)]
    rest = [span for span, piece in apart.items() if any(piece in each for each in lists) and span not in found]
    rest = [span for span in rest if near[span].option not in meant and near[span].may_be_meant_by(text, span)]
    return ({UNCLEAR: text[slice(*rest[0])]} if rest and several else {}) | {
        option: text[slice(*_core(embed, text, span, names[options.index(option)], 0.0 if several else OWN))]
        for option, span in meant.items()
    }


def _likely(cosines: Any, options: Sequence[str]) -> Likely:
    second, best = sorted(map(float, cosines))[-2:]
    return Likely(options[int(cosines.argmax())], best, best - second)


def _denies(text: str) -> bool:
    return not NEGATIONS.isdisjoint(words_of(_SHORT_NOT.sub(" not", text)))


def _pieces(text: str) -> list[Span]:
    """What stands between signs and conjunctions."""
    cuts = [(0, 0), *(found.span() for found in _BETWEEN.finditer(text)), (len(text), len(text))]
    return [(end, start) for (_, end), (start, _) in pairwise(cuts) if _WORD.search(text, end, start)]


def _lists(text: str, pieces: Sequence[Span]) -> list[list[Span]]:
    """Pieces side by side, of each list from the last one on, which an "and" joins to the one before."""
    found: list[list[Span]] = []
    for one, after in reversed([*pairwise(pieces)]):
        is_within = bool(found) and found[-1][-1] == after
        if (_JOINS if is_within else _AND).fullmatch(text, one[1], after[0]):
            found = found if is_within else [*found, [after]]
            found[-1].append(one)
    return found


def _joined(text: str, pieces: Sequence[Span]) -> Iterator[Span]:
    """Pieces side by side."""
    for first, (start, _) in enumerate(pieces):
        for one, after in pairwise(pieces[first : first + TOGETHER]):
            if not _JOINS.fullmatch(text, one[1], after[0]):
                break
            yield start, after[1]


def _trimmed(text: str, piece: Span, small: frozenset[str]) -> Span | None:
    """The words of a piece without small ones at its ends; None where too few or too many are left."""
    words = [word.span() for word in _WORD.finditer(text, *piece)]
    told = [place for place, word in enumerate(words) if not small.issuperset(words_of(text[slice(*word)]))]
    words = words[told[0] : told[-1] + 1] if told else []
    fits = 0 < len(words) <= LONGEST and max(end - start for start, end in words) >= SHORTEST
    return (words[0][0], words[-1][1]) if fits else None


def _overlap(one: Span, other: Span) -> bool:
    return one[0] < other[1] and other[0] < one[1]


def _core(embed: Embed, text: str, span: Span, option: Any, much: float) -> Span:
    """The words in a row that are nearest to the option, where they are by so `much` nearer than the whole clause."""
    words = [word.span() for word in _WORD.finditer(text, *span)]
    runs = [(first[0], last[1]) for place, first in enumerate(words) for last in words[place:]]
    cosines = embed([text[slice(*run)] for run in runs]) @ option
    return runs[int(cosines.argmax())] if cosines.max() - cosines[runs.index(span)] >= much else span
