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

# Digits after letters belong to a name (Q3), and so do digits before them (3D); long ones are no ratings.
NUMBER = r"(?<![A-Za-z\d.,_])[-\u2212]?\d{1,15}(?:,\d{3})*(?:[.,]\d{1,9})?(?![A-Za-z\d]|[.,]\d)"
NUMBERS = re.compile(NUMBER)
THOUSANDS = re.compile(r",(?=\d{3}(?:\D|$))")
RATIO = re.compile(
    rf"({NUMBER})\s*\(?\s*(?:/|(?:out of|of|von|sur|de|su|sobre)\b)\s*(?<!\d)(\d{{1,15}})(?![\d.,]*\d)\)?"
)
RANGE = re.compile(rf"({NUMBER})\s*(?:-|to|bis|a|and|und|et|y)\s*(\d{{1,15}})(?![\d.,]*\d)")
SCALE = re.compile(
    r"(?:\b(?:on|auf|sur|en)\s+)?(?:(?:a|the|einer|der|une|la|una)\s+)?(?:(?:scale|skala|echelle|escala)\s+)?"
    rf"(?:(?:of|from|von|de)\s+)?{RANGE.pattern}"
)
EMPHASIS = re.compile(r"[*_`~]+|</?[A-Za-z]+>")
PER_CENT = re.compile(r"\s*\b(?:per ?cent|prozent|pour ?cent|por ?ciento)\b")
VAGUE = frozenset("<>\u2264\u2265")
_ARTICLE = r"(?:(?:an?|eine?|une?)\s+)?"
BOUND = re.compile(
    r"(?:\b(?:not|never|nicht|kein\w*|pas|jamais|nunca)|n't)\b[^.,;:!?\d]{0,25}\d|"
    rf"\b(?:{_TABLES['doubtful']['before_number']})\s+{_ARTICLE}-?\d|{_TABLES['doubtful']['anywhere']}"
)
MENDED = re.compile(
    rf"\b(?:not|nicht|pas|no)\s+{_ARTICLE}{NUMBER},?\s+(?:but|sondern|mais|sino)\s+(?:rather\s+|eher\s+|plutot\s+)?"
    rf"{_ARTICLE}(?={NUMBER})"
    rf"|{NUMBER}[\s.,;!?(-]+(?:(?:no|wait|sorry|actually|correction|i mean|make that|nein|quatsch|moment|ach|non|"
    rf"pardon|enfin|perdon|digo|mejor dicho)\b[\s.,;!?:-]+)+{_ARTICLE}(?={NUMBER})"
)
"""What was taken back: `not 9 but 4`, `9 - wait, no, 4`."""

DASH = "[-\u2010-\u2015\u2212\ufe58\ufe63\uff0d]"
MINUS = re.compile(rf"(?:(?<![\w.,]){DASH}|\b(?:minus|negativ|negative|moins|menos)\s+)(?=\d)", re.IGNORECASE)
EITHER = re.compile(rf"(?<!\d){DASH}\s+\d|(?<=[^\W\d_]){DASH}\d")
"""A bullet, a hyphen or a minus: where numbers below zero are on the scale, it may be any of them."""

LISTED = re.compile(r"^\W*1[.)]\s+\w")  # the first of a list, perhaps
LEAD, OPENING = re.compile(r"([a-z][a-z'-]*)\s*$"), re.compile(r"[\s\"'(\[#]+$")
FOLLOWING = re.compile(r"%?[\s)]*([a-z][a-z']*)")
NO_RATING_AFTER, NO_RATING_BEFORE = (
    re.compile(r"\s?[$\u20ac\u00a3]|:\d|-[a-z]|\s+\d"),
    re.compile(r"[$\u20ac\u00a3]\s?$|\d[:\s]\s*$"),
)
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
    if LISTED.match(text):
        return None
    text = WORDS.sub(lambda found: str(VALUES[_spelled(found[0])]), UN.sub("", text))
    text = MENDED.sub("", MINUS.sub("-", text))
    if scale is not None:  # its own mention is no answer, as in "8 on a scale of 1 to 10"
        text = SCALE.sub(lambda found: " " if (_value(found[1]), float(found[2])) == scale else found[0], text)
    percent = "%" in text and (scale is None or scale[1] != 100)  # noqa: PLR2004 - per cent
    wholes, text = {float(whole) for _, whole in RATIO.findall(text)}, RATIO.sub(r"\1", text)
    if percent or BOUND.search(text) or RANGE.search(text) or (scale is not None and wholes - {scale[1]}):
        return None
    given = dict.fromkeys(_ratings(text))
    sure = {value for value, is_sure in given if is_sure}
    low, high = scale or (float("-inf"), float("inf"))
    others = {value for value, is_sure in given if not is_sure and low <= value <= high} - sure
    value = sure.pop() if len(sure) == 1 and not others else None
    # Of a hundred, less than one is a share.
    on_scale = value is not None and low <= value <= high and not (high == 100 and 0 < value < 1)  # noqa: PLR2004
    return value if on_scale else None


def _ratings(text: str) -> Iterator[tuple[float, bool]]:
    """The numbers that count nothing else, and whether they stand for themselves for sure."""
    for found in NUMBERS.finditer(text):
        before, after = text[: found.start()], text[found.end() :]
        if NO_RATING_AFTER.match(after) or NO_RATING_BEFORE.search(before):
            continue
        following, lead = FOLLOWING.match(after), LEAD.search(OPENING.sub("", before))
        stands = following is None or following[1] in _AFTER
        if stands or (following and following[1] in _DOUBT):
            yield _value(found[0]), stands and (lead is None or lead[1] in _BEFORE)


def _value(digits: str) -> float:
    return float(THOUSANDS.sub("", digits).replace(",", ".").replace("\u2212", "-")) + 0.0  # no zero below zero


def _spelled(words: str) -> str:
    return re.sub(r"[\s-]+", "_", words)


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
