"""Where lines end. Pure: what a piece of text measures is told by the caller."""

import re
import unicodedata
from collections.abc import Callable, Iterator

Measure = Callable[[str], float]

_WIDE = (
    "\u2e80-\u2fdf\u3005-\u3007\u3021-\u30ff\u3105-\u312f\u31a0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uf900-\ufaff\uff66-\uff9d\U00020000-\U0003ffff"
)
"""Han, Kana, Bopomofo."""
_CLOSING = (
    "\u3001\u3002\u3009\u300b\u300d\u300f\u3011\u3015\u30fc\uff01\uff09\uff0c\uff0e\uff1a\uff1b\uff1f\uff3d\uff5d"
)
_PIECES = re.compile(rf"[{_WIDE}][{_CLOSING}]* *|[^ {_WIDE}]*[-/\u2010\u2013\u2014](?=\w)|[^ {_WIDE}]+ *| +")
"""Lines may end after a blank (not one that holds together, U+00A0), after a hyphen or a slash, and between
ideographs, but not before a closing mark."""

JOINER = "\u200d"
WORDS = 0.8
"""How much of a cut text must be left for it to end after a word."""


def break_lines(text: str, width: float, measure: Measure) -> list[str]:
    """Lines of at most `width`, without the blanks at their ends; at least one."""
    return list(_fill(text.strip(" "), width, measure))


def _fill(text: str, width: float, measure: Measure) -> Iterator[str]:
    line, used = "", 0.0
    for piece in _pieces(text, width, measure):
        if line and used + measure(piece.rstrip()) > width:
            yield line.rstrip()
            line, used = "", 0.0
        line += piece
        used += measure(piece)
    yield line.rstrip()


def _pieces(text: str, width: float, measure: Measure) -> Iterator[str]:
    for piece in _PIECES.findall(text):
        yield from [piece] if measure(piece.rstrip()) <= width else _split(piece, width, measure)


def _split(piece: str, width: float, measure: Measure) -> Iterator[str]:
    """A word that is wider than the line, in parts that are not."""
    part, used = "", 0.0
    for cluster in clusters(piece):
        wide = measure(cluster)
        if part and used + wide > width:
            yield part
            part, used = "", 0.0
        part += cluster
        used += wide
    yield part


def clusters(text: str) -> Iterator[str]:
    """What readers see as one letter: with its accents, its vowel signs, and what it is joined to."""
    cluster = ""
    for char in text:
        if cluster and not (unicodedata.category(char).startswith("M") or JOINER in {char, cluster[-1]}):
            yield cluster
            cluster = ""
        cluster += char
    if cluster:
        yield cluster


def cut(text: str, most: int) -> str:
    """At most `most` characters: what is longer ends with an ellipsis, if possible after a whole word."""
    if len(text) <= most:
        return text
    head = text[: most - 1]
    words = head.rpartition(" ")[0].rstrip()
    return (words if len(words) > WORDS * most else _whole(head, text)).rstrip() + "…"


def _whole(head: str, text: str) -> str:
    """`head` without a last letter of which there is more in `text`."""
    kept = ""
    for cluster in clusters(text[: len(head) + 1]):
        if len(kept) + len(cluster) > len(head):
            break
        kept += cluster
    return kept
