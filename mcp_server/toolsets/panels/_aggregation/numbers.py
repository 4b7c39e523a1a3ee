"""The number that a reply gives, in digits or words, in English, German, French and Spanish; or none. Pure.

A wrong number is worse than none: what may mean two things stays unread.
"""

import re
import tomllib
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mcp_server.toolsets.panels._aggregation.candidates import (
    CANDIDATE,
    FUNCTION,
    TABLES,
    mark,
    pattern,
    patterns,
    places,
    settle,
    unmarked,
    vocabulary,
)
from mcp_server.toolsets.panels._aggregation.texts import plain
from mcp_server.toolsets.panels._aggregation.unwrapping import without_markup

# Digits after letters belong to a name (Q3), and so do digits before them (3D); long ones are no ratings.
NUMBER = r"(?<![A-Za-z\d.,_])[-\u2212]?\d{1,15}(?:,\d{3})*(?:[.,]\d{1,9})?(?![A-Za-z\d]|[.,]\d)"
NUMBERS = re.compile(NUMBER)
THOUSANDS = re.compile(r",(?=\d{3}(?:\D|$))")
UNIT = r"(?:points?|punkten?|stars?|sternen?|etoiles?|puntos?|estrellas?)"
RATIO = re.compile(
    rf"({NUMBER})\s*(?:{UNIT}\s*)?\(?\s*(?:/|(?:out of|of|von|aus|sur|de|su|sobre)\b)\s*(?<!\d)(?:an? )?(\d{{1,15}})(?![\d.,]*\d)\)?"
)
WHOLE = re.compile(r"(?<![\w-])(?<!\d )(?:out of|von|sur|sobre)\s+(?:an? )?(\d{1,15})\b(?!\s*[\d%])")
RANGE = r"(\d{1,15})\s*(?:-|to|bis|a|and|und|et|y)\s*(\d{1,15})(?![\d.,]*\d)"
SCALE = pattern(TABLES["numbers"]["mention"] + rf"(?<![\d.,])([-\u2212]?){RANGE}")
PER_CENT = re.compile(r"\s*\b(?:per ?cent|prozent|pour ?cent|por ?ciento)\b")
ISH = re.compile(r"(?<=\d)-?ish\b")
VAGUE = frozenset("<>\u2264\u2265")
NOT_ONE, UNCLEAR = pattern(TABLES["numbers"]["not_one"]), pattern(TABLES["numbers"]["unclear"])
BOUNDS = patterns("bounds")

DASH = "[-\u2010-\u2015\u2212\ufe58\ufe63\uff0d]"
MINUS = re.compile(rf"(?:(?<![\w.,]){DASH}|\b(?:minus|negativ|negative|moins|menos)\s+)(?=\d)", re.IGNORECASE)
EITHER = re.compile(rf"(?<!\d){DASH}\s+\d|(?<=[^\W\d_]){DASH}\d")
"""A bullet, a hyphen or a minus: where numbers below zero are on the scale, it may be any of them."""

BEFORE = re.compile(r"([a-z][a-z-]*)?[\s\"'(\[#]*$")
FOLLOWING = re.compile(r"%?[\s)]*([a-z]+)")
COUNTS = re.compile(r"\s?[$\u20ac\u00a3]|:\d|-[a-z]|\s+(?:of|von|de) (?:us|them|the|my|our|uns)\b")
COUNTED = re.compile(r"(?:[$\u20ac\u00a3]\s?|\d:\s*)$")
NOT_BEFORE, RATING = vocabulary("words", "not_before"), vocabulary("words", "rating")
GOES_FOR = re.compile(r"\b(?:go|going|gone|opt|settled?|vote|qued[ao])\s+(?:for|with|con|en)\s*$")
QUALIFIED = re.compile(r"\b(?:an?|eine?[rn]?|une?)\s+[a-z-]+\s*$")
ADVERBS = ("ly", "ment", "mente")
HUNDRED = 100
NEAR = 60  # characters around a number that tell what it counts


def number(text: str, scale: tuple[int, int] | None) -> float | None:
    """The one number in `text`, if there is one and it is on the scale.

    "8", "8.0", "7,5", "8/10", "eight out of ten", "**8** - very likely", "not 9 but 8". Never taken: "7-8" (two),
    "8/10" on a scale to 5, "11" on a scale to 10, "more than 8", "7½", "- 3" on a scale from -5, "for 3 years". Without
    a scale any single number is taken.
    """
    text = unmarked(without_markup(text))
    signs = not VAGUE.isdisjoint(text) or any(unicodedata.category(sign) == "No" for sign in text)
    if signs or (scale is not None and scale[0] < 0 and EITHER.search(text)):
        return None
    text = MINUS.sub("-", ISH.sub("", in_digits(text)))
    if scale is not None:  # its own mention is no answer, as in "8 on a scale of 1 to 10"
        text = SCALE.sub(
            lambda found: " " if (_value(found[1] + found[2]), float(found[3])) == scale else found[0], text
        )
        text = WHOLE.sub(lambda found: "" if float(found[1]) == scale[1] else found[0], text)
    percent = "%" in text and (scale is None or scale[1] != HUNDRED)
    wholes, text = {float(whole) for _, whole in RATIO.findall(text)}, RATIO.sub(r"\1", text)
    if percent or UNCLEAR.search(text) or (scale is not None and wholes - {scale[1]}):
        return None
    low, high = scale or (float("-inf"), float("inf"))
    given = dict(sorted((value, sure) for value, sure in _ratings(text) if sure or low <= value <= high))
    value = next(iter(given)) if len(given) == 1 else None
    is_share = high == HUNDRED and value is not None and 0 < value < 1
    return value if value is not None and given[value] and low <= value <= high and not is_share else None


def in_digits(text: str) -> str:
    """Folded, on one line, with numbers in digits."""
    text = NOT_ONE.sub(" ", PER_CENT.sub("%", plain(text).replace("\n", " . ")))
    return WORDS.sub(lambda found: str(VALUES[re.sub(r"[\s-]+", "_", found[0])]), UN.sub("", text))


def _ratings(text: str) -> Iterator[tuple[float, bool]]:
    """The numbers that count nothing else and are not struck, and whether they stand for themselves for sure."""
    found: list[tuple[float, bool]] = []

    def marked(one: re.Match[str]) -> str:
        before, after = text[max(0, one.start() - NEAR) : one.start()], text[one.end() : one.end() + NEAR]
        following = FOLLOWING.match(after)
        unit = following and not following[1].endswith(ADVERBS) and following[1] not in FUNCTION | RATING
        if unit or COUNTS.match(after) or COUNTED.search(before):
            return "#"
        found.append((_value(one[0]), _leads(before)))
        return mark(len(found) - 1)

    for place in places(settle(NUMBERS.sub(marked, text).replace("%", " "), BOUNDS)):
        yield found[place]


def _leads(before: str) -> bool:
    """Whether a number may stand for itself behind these words, and not for the number of something."""
    lead = BEFORE.search(before)
    word = lead and lead[1]
    if not word or word in RATING or word.endswith(ADVERBS) or CANDIDATE.search(word):
        return True
    if word in NOT_BEFORE:
        return bool(GOES_FOR.search(before))
    return word in FUNCTION or bool(QUALIFIED.search(before))


def _value(digits: str) -> float:
    return float(THOUSANDS.sub("", digits).replace(",", ".").replace("\u2212", "-")) + 0.0  # no zero below zero


def _values() -> Iterator[tuple[str, int]]:
    tables: dict[str, Any] = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
    for table in tables["words"].values():
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
UN = re.compile(r"(?<!et )(?<!et-)\bun\s+(?=\w)(?!sur\b|points?\b|etoiles?\b)")  # an article there, and no number
