"""In which order the parts of a line stand, when some of it is read from the right (Unicode Annex 9, rule L2)."""

import unicodedata
from itertools import groupby

from fpdf.bidi import BidiParagraph
from fpdf.enums import TextDirection

FROM_LEFT, FROM_RIGHT = "\u200e", "\u200f"
"""Marks that no reader sees: a letter of that direction stands here."""

_RIGHT = frozenset({"R", "AL"})
_STRONG = _RIGHT | {"L"}
_TURNING = _RIGHT | {"AN"}
_LEFTWARD = frozenset({"L", "EN", "AN"})
"""Figures are read from the left, in every script."""

Run = tuple[str, bool]


def rightward(text: str) -> bool:
    """Whether a text is read from the right: its first letter decides."""
    kinds = (unicodedata.bidirectional(char) for char in text)
    return next((kind in _RIGHT for kind in kinds if kind in _STRONG), False)


def apart(name: str) -> str:
    """A name that a figure or another name follows: with one that is read from the right, they would change places."""
    return f"{FROM_LEFT}{name}{FROM_LEFT}" if _TURNING & set(map(unicodedata.bidirectional, name)) else name


def marked(line: str, *, like: bool) -> str:
    """A line of a paragraph that is read as `like` says, which its own first letter may not tell."""
    return line if rightward(line) == like else (FROM_RIGHT if like else FROM_LEFT) + line


def runs(line: str) -> list[Run]:
    """The parts of a line from left to right, and whether each is read from the right. The marks are gone."""
    kinds = set(map(unicodedata.bidirectional, line))
    if not kinds & _TURNING:
        return [(line, False)]
    if not kinds & _LEFTWARD:
        return [(_bare(line), True)]
    base = TextDirection.RTL if rightward(line) else TextDirection.LTR
    levels: list[tuple[int, str]] = [
        (level, "".join(char.character for char in chars))
        for level, chars in groupby(
            BidiParagraph(line, base, preserve_bn_chars=True).get_characters_with_embedding_level(),
            lambda char: char.embedding_level,
        )
    ]
    for level in range(max((level for level, _ in levels), default=0), 0, -1):
        levels = _reversed(levels, level)
    return [(bare, level % 2 == 1) for level, text in levels if (bare := _bare(text))]


def _bare(text: str) -> str:
    return text.replace(FROM_LEFT, "").replace(FROM_RIGHT, "")


def _reversed(levels: list[tuple[int, str]], least: int) -> list[tuple[int, str]]:
    """Every sequence of runs whose level is at least `least`, the other way round."""
    turned: list[tuple[int, str]] = []
    for inside, sequence in groupby(levels, lambda run: run[0] >= least):
        same = list(sequence)
        turned += reversed(same) if inside else same
    return turned
