"""The number that a reply gives, in digits or words, in English, German, French and Spanish; or none. Pure.

A wrong number is worse than none: what may mean two things stays unread.
"""

import re
import tomllib
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mcp_server.toolsets.panels._aggregation.texts import plain

_TABLES: dict[str, Any] = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))


def _patterns(table: str) -> str:
    """Any of the patterns of a table; a pattern may have several lines."""
    return "|".join(pattern.replace("\n", "") for pattern in _TABLES[table].values())


# Digits after letters belong to a name (Q3), and so do digits before them (3D); long ones are no ratings.
NUMBER = r"(?<![A-Za-z\d.,_])[-\u2212]?\d{1,15}(?:,\d{3})*(?:[.,]\d{1,9})?(?![A-Za-z\d]|[.,]\d)"
NUMBERS = re.compile(NUMBER)
THOUSANDS = re.compile(r",(?=\d{3}(?:\D|$))")
RATIO = re.compile(
    rf"({NUMBER})\s*\(?\s*(?:/|(?:out of|of|von|sur|de|su|sobre)\b)\s*(?<!\d)(\d{{1,15}})(?![\d.,]*\d)\)?"
)
RANGE = re.compile(rf"({NUMBER})\s*(?:-|to|bis|a|and|und|et|y)\s*(\d{{1,15}})(?![\d.,]*\d)")
SCALE = re.compile(_patterns("scale") + RANGE.pattern)
EMPHASIS = re.compile(r"[*_`~]+|</?[A-Za-z]+>")
PER_CENT = re.compile(r"\s*\b(?:per ?cent|prozent|pour ?cent|por ?ciento)\b")
VAGUE = frozenset("<>\u2264\u2265")
BOUND = re.compile(_patterns("doubtful"))
MENDED = re.compile(_patterns("mended").replace("NUMBER", NUMBER))
"""What was taken back: `not 9 but 4`, `9 - wait, no, 4`."""

DASH = "[-\u2010-\u2015\u2212\ufe58\ufe63\uff0d]"
MINUS = re.compile(rf"(?:(?<![\w.,]){DASH}|\b(?:minus|negativ|negative|moins|menos)\s+)(?=\d)", re.IGNORECASE)
EITHER = re.compile(rf"(?<!\d){DASH}\s+\d|(?<=[^\W\d_]){DASH}\d")
"""A bullet, a hyphen or a minus: where numbers below zero are on the scale, it may be any of them."""

LEAD, OPENING = re.compile(r"([a-z][a-z'-]*)\s*$"), re.compile(r"[\s\"'(\[#]+$")
FOLLOWING = re.compile(r"%?[\s)]*([a-z][a-z']*)")
COUNTS, COUNTED = re.compile(r"\s?[$\u20ac\u00a3]|:\d|-[a-z]|\s+\d"), re.compile(r"[$\u20ac\u00a3]\s?$|\d[:\s]\s*$")
_BEFORE, _AFTER, _DOUBT = (frozenset(_TABLES["sentence"][side].split()) for side in ("before", "after", "doubt"))


def number(text: str, scale: tuple[int, int] | None) -> float | None:
    """The one number in `text`, if there is one and it is on the scale.

    "8", "8.0", "7,5", "8/10", "eight out of ten", "**8** - very likely", "not 9 but 8". Never taken: "7-8" (two),
    "8/10" on a scale to 5, "11" on a scale to 10, "more than 8", "7½", "- 3" on a scale from -5, "for 3 years". Without
    a scale any single number is taken.
    """
    signs = not VAGUE.isdisjoint(EMPHASIS.sub(" ", text)) or any(unicodedata.category(sign) == "No" for sign in text)
    if signs or (scale is not None and scale[0] < 0 and EITHER.search(EMPHASIS.sub(" ", text))):
        return None
    text = PER_CENT.sub("%", plain(EMPHASIS.sub(" ", text)).replace("\n", " . "))
    text = WORDS.sub(lambda found: str(VALUES[re.sub(r"[\s-]+", "_", found[0])]), UN.sub("", text))
    text = MENDED.sub("", MINUS.sub("-", text))
    if scale is not None:  # its own mention is no answer, as in "8 on a scale of 1 to 10"
        text = SCALE.sub(lambda found: " " if (_value(found[1]), float(found[2])) == scale else found[0], text)
    percent = "%" in text and (scale is None or scale[1] != 100)  # noqa: PLR2004 - per cent
    wholes, text = {float(whole) for _, whole in RATIO.findall(text)}, RATIO.sub(r"\1", text)
    if percent or BOUND.search(text) or RANGE.search(text) or (scale is not None and wholes - {scale[1]}):
        return None
    low, high = scale or (float("-inf"), float("inf"))
    given = dict(sorted((value, sure) for value, sure in _ratings(text) if sure or low <= value <= high))
    value = next(iter(given)) if len(given) == 1 else None
    is_share = high == 100 and value is not None and 0 < value < 1  # noqa: PLR2004 - of a hundred
    return value if value is not None and given[value] and low <= value <= high and not is_share else None


def _ratings(text: str) -> Iterator[tuple[float, bool]]:
    """The numbers that count nothing else, and whether they stand for themselves for sure."""
    for found in NUMBERS.finditer(text):
        before, after = text[: found.start()], text[found.end() :]
        if COUNTS.match(after) or COUNTED.search(before):
            continue
        following, lead = FOLLOWING.match(after), LEAD.search(OPENING.sub("", before))
        stands = following is None or following[1] in _AFTER
        if stands or (following and following[1] in _DOUBT):
            yield _value(found[0]), stands and (lead is None or lead[1] in _BEFORE)


def _value(digits: str) -> float:
    return float(THOUSANDS.sub("", digits).replace(",", ".").replace("\u2212", "-")) + 0.0  # no zero below zero


def _values() -> Iterator[tuple[str, int]]:
    for table in _TABLES["words"].values():
        small = table["small"].split()
        yield from ((word, 100) for word in table["hundred"].split())
        for ten, word in ((int(ten), word) for ten, word in table["tens"].items()):
            for one, unit in enumerate(small[1 : 20 if ten in {60, 80} else 10], start=1):  # soixante-dix-neuf
                yield from ((way.format(ten=word, one=unit), ten + one) for way in table["joined"])
                yield from ((way.format(ten=word, one="ein"), ten + one) for way in table["joined"] if unit == "eins")
            yield from ((word, ten), (f"{word}s", ten))  # quatre-vingts
        yield from ((word, value) for value, word in enumerate(small) if word != "*")


VALUES = dict(_values())
"""Each word of a number and what it is worth."""
WORDS = re.compile(rf"\b(?:{'|'.join(sorted(VALUES, key=len, reverse=True)).replace('_', '[ -]')})\b")
UN = re.compile(rf"\bun\s+(?=\d|{WORDS.pattern})")  # an article there, and no number
