"""The number that a reply gives, in digits or words, in English, German, French and Spanish; or none. Pure.

A wrong number is worse than none: what may mean two things stays unread.
"""

import re
import tomllib
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mcp_server.toolsets.panels._aggregation import candidates
from mcp_server.toolsets.panels._aggregation.candidates import FUNCTION, compiled, vocabulary
from mcp_server.toolsets.panels._aggregation.texts import plain
from mcp_server.toolsets.panels._aggregation.unwrapping import without_markup

PATTERNS, BOUNDS = compiled("numbers"), compiled("bounds").values()
VAGUE = frozenset("<>\u2264\u2265")
NOT_BEFORE, RATING = vocabulary("words", "not_before"), vocabulary("words", "rating")
ADVERBS = ("ly", "ment", "mente")
HUNDRED = 100
NEAR = 60  # characters around a number that tell what it counts


def number(text: str, scale: tuple[int, int] | None) -> float | None:
    """The one number in `text`, if there is one and it is on the scale.

    "8", "8.0", "7,5", "8/10", "eight out of ten", "**8** - very likely", "not 9 but 8". Never taken: "7-8" (two),
    "8/10" on a scale to 5, "11" on a scale to 10, "more than 8", "7½", "- 3" on a scale from -5, "for 3 years". Without
    a scale any single number is taken.
    """
    text = candidates.unmarked(without_markup(text))
    signs = not VAGUE.isdisjoint(text) or any(unicodedata.category(sign) == "No" for sign in text)
    if signs or (scale is not None and scale[0] < 0 and PATTERNS["either"].search(text)):
        return None
    text = PATTERNS["minus"].sub("-", PATTERNS["ish"].sub("", in_digits(text)))
    if scale is not None:  # its own mention is no answer, as in "8 on a scale of 1 to 10"
        text = PATTERNS["scale"].sub(
            lambda found: " " if (_value(found[1]), float(found[2])) == scale else found[0], text
        )
        text = PATTERNS["whole"].sub(lambda found: "" if float(found[1]) == scale[1] else found[0], text)
    percent = "%" in text and (scale is None or scale[1] != HUNDRED)
    wholes, text = {float(whole) for _, whole in PATTERNS["ratio"].findall(text)}, PATTERNS["ratio"].sub(r"\1", text)
    if percent or PATTERNS["unclear"].search(text) or (scale is not None and wholes - {scale[1]}):
        return None
    low, high = scale or (float("-inf"), float("inf"))
    given = dict(sorted((value, sure) for value, sure in _ratings(text) if sure or low <= value <= high))
    value = next(iter(given)) if len(given) == 1 else None
    is_share = high == HUNDRED and value is not None and 0 < value < 1
    return value if value is not None and given[value] and low <= value <= high and not is_share else None


def in_digits(text: str) -> str:
    """Folded, on one line, with numbers in digits."""
    text = PATTERNS["not_one"].sub(" ", PATTERNS["percent"].sub("%", plain(text).replace("\n", " . ")))
    return WORDS.sub(lambda found: str(VALUES[re.sub(r"[\s-]+", "_", found[0])]), PATTERNS["article"].sub("", text))


def _ratings(text: str) -> Iterator[tuple[float, bool]]:
    """The numbers that count nothing else and are not struck, and whether they stand for themselves for sure."""
    found: list[tuple[float, bool]] = []

    def marked(one: re.Match[str]) -> str:
        before, after = text[max(0, one.start() - NEAR) : one.start()], text[one.end() : one.end() + NEAR]
        following = PATTERNS["following"].match(after)
        unit = following and not following[1].endswith(ADVERBS) and following[1] not in FUNCTION | RATING
        if unit or PATTERNS["counts"].match(after) or PATTERNS["counted"].search(before):
            return "#"
        found.append((_value(one[0]), _leads(before)))
        return candidates.mark(len(found) - 1)

    for place in candidates.places(candidates.settle(PATTERNS["number"].sub(marked, text).replace("%", " "), BOUNDS)):
        yield found[place]


def _leads(before: str) -> bool:
    """Whether a number may stand for itself behind these words, and not for the number of something."""
    lead = PATTERNS["lead"].search(before)
    word = lead and lead[1]
    if not word or word in RATING or word.endswith(ADVERBS):
        return True
    if word in NOT_BEFORE:
        return bool(PATTERNS["goes_for"].search(before))
    return word in FUNCTION or bool(PATTERNS["qualified"].search(before))


def _value(digits: str) -> float:
    return (
        float(PATTERNS["thousands"].sub("", digits).replace(",", ".").replace("\u2212", "-")) + 0.0
    )  # no zero below zero


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
