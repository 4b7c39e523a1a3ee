"""Numbers and ranges in the wording of a question, in figures and in words."""

import re

_NAMES = (
    "zero one two three four five six seven eight nine ten eleven",
    "null eins zwei drei vier funf sechs sieben acht neun zehn elf",
    "cero uno dos tres cuatro cinco seis siete ocho nueve diez once",
    "zero un deux trois quatre cinq six sept huit neuf dix onze",
)
# "once" and "elf" are other words in English, and nobody writes an eleven-point scale in words but in English.
_BY_NAME = {name: value for line in _NAMES for value, name in enumerate(line.split()) if name not in {"once", "elf"}}
_BY_NAME |= {"hundred": 100, "hundert": 100, "cien": 100, "cent": 100}
_WORDS = "|".join(sorted(_BY_NAME, key=len, reverse=True))
NUMBER = rf"(?:(?<![\w,$€£:/])(?<!\d\.)[+-]?\d{{1,12}}(?:[.,]\d{{1,3}})?(?!\d|[.,:]\d|/)|\b(?:{_WORDS})\b)"
_LABEL = r"(?: ?%)?(?: ?\([^()\n]{1,80}\)| ?\[[^\[\]\n]{1,80}\]| ?= ?[^\d\n]{1,80}?)?"
_TO = r"(?: ?(?:-{1,2}|\.{2,3}|…|→|>) ?| (?:up )?(?:to|through|thru|until|till|bis|bis zu|a|al|hasta|a la|jusqu'a) )"
RANGE = rf"(?P<low>{NUMBER}){_LABEL},?{_TO}(?P<high>{NUMBER}){_LABEL}"
BETWEEN = (
    rf"\b(?:between|zwischen|entre)(?: el| le)? (?P<low>{NUMBER}) ?(?:and|und|et|y|&) ?(?:el |le )?(?P<high>{NUMBER})"
)


def number(text: str) -> float | None:
    """The value of what NUMBER found; a thousand with a comma is not told from a fraction, and neither is a point."""
    if text in _BY_NAME:
        return float(_BY_NAME[text])
    try:
        return float(text.replace(",", "."))
    except ValueError:
        return None


def whole(text: str) -> int | None:
    """The value, if it is a whole number."""
    value = number(text)
    return int(value) if value is not None and value.is_integer() else None


def pair(match: re.Match[str]) -> tuple[float, float]:
    """The ends of a range, the lower one first: "10 (best) to 1" means the same scale."""
    first, second = number(match["low"]) or 0.0, number(match["high"]) or 0.0
    return min(first, second), max(first, second)
