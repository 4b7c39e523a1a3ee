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

CLEARLY = 0.04  # how much less the cosine of a clause is to any other option than to the one that it means
NEAR, ALONE, NAME = 0.59, 0.68, 0.70  # that and its cosine, together; where the clause is one word; where the option is
WORDS = 0.86  # where both are: coffee is near to tea, and a translation is nearer
UNLIKE = 0.30  # below it, a clause speaks of no option
LONGEST, TOGETHER = 12, 3  # words of a clause, and clauses that may name one option: "cakes and tarts"
OWN = 0.10  # how much nearer the core of a clause is that says more of the option, such as that it is hated
SHORTEST = 3  # letters of the longest word
_WORDS = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
_CONJUNCTIONS, _JOINING = ("|".join(_WORDS[name].split()) for name in ("between", "joins"))
_BETWEEN = re.compile(rf"{_WORDS['signs']}|\bqu['\u2019]|(?<![\w-])(?:{_CONJUNCTIONS})(?![\w-])", re.IGNORECASE)
_JOINS = re.compile(rf"(?:[\s,/&+]|\b(?:{_JOINING})\b)+", re.IGNORECASE)
_WORD = re.compile(r"(?:[cdjlmnst]|qu)['\u2019](?=\w)|[^\W_]+(?:[-'\u2019.][^\W_]+)*", re.IGNORECASE)
_GLOSS = re.compile(r"\([^()]*\)")
_SHORT_NOT = re.compile(r"n['\u2019]t\b")
_LEADING = frozenset(_WORDS["small"].split())
_DENYING, _LACKING = NEGATIONS | frozenset(_WORDS["denying"].split()), frozenset(_WORDS["lacking"].split())
_SMALL = _DENYING | STOP_WORDS | _LEADING

Embed = Callable[[Sequence[str]], Any]
Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Likely:
    """The option that is nearest to some words, its cosine, and how much more that is than any other's."""

    option: str
    cosine: float
    clearly: float

    def is_meant_by(self, text: str, span: Span) -> bool:
        is_word, is_name = _WORD.fullmatch(text, *span) is not None, len(words_of(self.option)) == 1
        bound = (NEAR, NAME, ALONE, WORDS)[is_name + 2 * is_word]
        says_nothing, words = _SMALL.issuperset(words_of(self.option)), text[slice(*span)]
        denies_another = _denies(words) != _denies(self.option) and _LACKING.isdisjoint(words_of(words))
        if says_nothing or denies_another or are_contrary(words, self.option, ""):
            return False
        return self.clearly >= CLEARLY and self.cosine + self.clearly >= bound

    def outdoes(self, whole: "Likely") -> bool:
        """Whether a part of the words of `whole` says that option better, or speaks of another."""
        return self.cosine >= (whole.cosine if self.option == whole.option else UNLIKE)


def wordings(embed: Embed, text: str, options: Sequence[str], *, several: bool) -> dict[str, str]:
    """Those of the options that a clause of `text` means, each with the words that do, an exact part of it.

    Where one may be chosen, these are the whole clause if its core is hardly nearer. Where `several` may, they are the
    core. Of several clauses that mean one option, the last is given.
    """
    pieces = _pieces(text)
    small = _SMALL - _LEADING.intersection(words_of(" ".join(options)))
    small = small - _DENYING if any(map(_denies, options)) else small
    apart, together = (
        {span for piece in each if (span := _trimmed(text, piece, small))} for each in (pieces, _joined(text, pieces))
    )
    spans = sorted(apart | together)
    amounts = sum(any(map(str.isdecimal, _GLOSS.sub("", option))) for option in options)  # "Team (9 euros)" is none
    if not spans or len(options) == 1 or 2 * amounts > len(options):  # an amount is near to any other
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
    for option, span in meant.items():
        if several or not _denies(option):  # the core of a denial leaves out a "not" that would deny the option
            meant[option] = _core(embed, text, span, names[options.index(option)], 0.0 if several else OWN)
    return {option: text[slice(*span)] for option, span in meant.items()}


def _likely(cosines: Any, options: Sequence[str]) -> Likely:
    second, best = sorted(map(float, cosines))[-2:]
    return Likely(options[int(cosines.argmax())], best, best - second)


def _denies(text: str) -> bool:
    return not _DENYING.isdisjoint(words_of(_SHORT_NOT.sub(" not", text)))


def _pieces(text: str) -> list[Span]:
    """What stands between signs and conjunctions."""
    cuts = [(0, 0), *(found.span() for found in _BETWEEN.finditer(text)), (len(text), len(text))]
    return [(end, start) for (_, end), (start, _) in pairwise(cuts) if _WORD.search(text, end, start)]


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
    while told and _DENYING.issuperset(words_of(text[slice(*words[told[-1]])])):
        told.pop()  # at the end it denies what stands before, and is no part of that: "hunger no"
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
