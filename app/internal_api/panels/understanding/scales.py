"""The scale that a question states: its lowest and highest point. Patterns read lower case without accents."""

import re
from collections.abc import Iterator

from app.internal_api.panels.understanding.anchors import by_anchors
from app.internal_api.panels.understanding.attitudes import speaks_of_rating
from app.internal_api.panels.understanding.numbers import BETWEEN, NUMBER, RANGE, number, pair, whole
from app.internal_api.panels.understanding.ranges import ranges
from app.internal_api.panels.understanding.reading import Reading
from app.internal_api.panels.understanding.words import FARTHEST_POINT, INVALID_SCALE, MOST_POINTS, MakesNoSense

# The noun: "to scale from 10 to 100 customers" is a verb, and so has no article.
_NOUN = (
    r"(?:\b(?:an?|the|this|following|our|your|rating|likert|numeric|sliding|single)[ -](?:[\w-]{1,14} ){0,3}?scale\b"
    r"|(?:\A|[(\[.,:;\n] ?)scale\b|\b[\w-]{0,12}skala\b|\bescala\b|\bechelle\b)"
)
_GAP = r"[^.?!\n\d]{0,60}?"
_STATED = re.compile(rf"{_NOUN}{_GAP}(?:{RANGE})")
_STATED_BETWEEN = re.compile(rf"{_NOUN}{_GAP}(?:{BETWEEN})")
_BEFORE = re.compile(rf"(?:{RANGE})[ -](?:[\w-]{{1,14}} ){{0,2}}?(?:scale|skala|escala|echelle)\b")
_POINTS = re.compile(
    rf"({NUMBER})[ -]?(?:points?|punkte?|puntos|stufige?n?r?|stars?|er)[ -](?:[\w-]{{1,14}} ){{0,2}}?(?:scale|skala)\b"
    rf"|\b(?:escala|echelle)(?: likert)? (?:de|en|a) ({NUMBER}) (?:puntos|points|niveles|niveaux)\b"
    rf"|(?:\ba|\bthe) scale (?:out )?of ({NUMBER})(?= ?(?:[,.?!:;)]|\Z|\n|how\b|what\b|where\b|please\b))"
)
_ANCHOR = re.compile(
    r"(?<![\w.,$€£:/-])(-?\d{1,4}) ?(?:=|:(?= ?[a-z])|\b(?:is|are|means?|meaning|being|represents?|stands? for"
    r"|equals|indicates?"
    r"|ist|sind|bedeutet|heisst|steht fur|significa|es|siendo|est|signifie|etant|correspond)\b) ?(?!\d)"
)
_ANCHORED = re.compile(
    r"\bscale\b|\bwhere\b|\bwith\b|\bwobei\b|\bdonde\b|\bsiendo\b|\bou\b|\bskala\b|\bescala\b|\bechelle\b|="
)
_OUT_OF = re.compile(
    rf"(?<![\d] )(?<![\d])(?:\bout of|\bsur|\bsobre|\bvon maximal) ({NUMBER})(?! (?:the|every|all|which)\b)"
)
_SLASHED = re.compile(r"(?<![\w./]) ?/ ?(5|7|10|20|100)\b(?![/\w])")
_GIVEN = re.compile(r"\bhow many (?:points |stars )?out of (5|7|10|20) (?:would|do|did|will) you (?:give|award)\b")
_COUNTED = re.compile(
    r"(?:\b(?:one|two|three|four|five|six|seven|eight|nine|ten|most|many|some|few|un|deux|neuf|nueve)|\d|%) ?\Z"
)
_LOW_ENDS = frozenset({0, 1})
_NARROWEST, _WIDEST = 3, 100
_ELEVEN, _HUNDRED = 11, 100


def stated_scale(reading: Reading) -> tuple[int, int] | None:
    """The scale that the wording gives. Raises MakesNoSense for a nonsense one."""
    return _named(reading.masked) or _anchored(reading.masked) or _implied(reading.masked)


def checked_scale(low: float, high: float) -> tuple[int, int]:
    """Both ends as whole numbers. Raises MakesNoSense."""
    if not (float(low).is_integer() and float(high).is_integer()):
        raise MakesNoSense(INVALID_SCALE, "The ends of a scale must be whole numbers, such as 1 and 10.")
    if low >= high:
        raise MakesNoSense(
            INVALID_SCALE,
            f"A scale from {low:g} to {high:g} has nothing to choose from: its lowest point must be below its highest.",
        )
    if max(abs(low), abs(high)) > FARTHEST_POINT or high - low + 1 > MOST_POINTS:
        raise MakesNoSense(
            INVALID_SCALE,
            f"A scale may have at most {MOST_POINTS} points between {-FARTHEST_POINT} and {FARTHEST_POINT}."
            " Use a range such as 1 to 10 or 0 to 100.",
        )
    return int(low), int(high)


def _named(text: str) -> tuple[int, int] | None:
    """What is called a scale is one, even when it makes no sense."""
    for pattern in (_STATED, _STATED_BETWEEN, _BEFORE):
        if match := pattern.search(text):
            return checked_scale(*pair(match))
    for match in _POINTS.finditer(text):
        points = number(next(group for group in match.groups() if group))
        if points is not None:
            return checked_scale(*_with_points(points))
    return None


def _with_points(points: float) -> tuple[float, float]:
    """Eleven points and a hundred are counted from 0."""
    if points in {_ELEVEN, _HUNDRED + 1}:
        return 0, points - 1
    return (0 if points == _HUNDRED else 1), points


def _anchored(text: str) -> tuple[int, int] | None:
    """As in "1 = not at all, 7 = very", "where 1 is awful and 5 is great"."""
    points = [value for match in _ANCHOR.finditer(text) if (value := whole(match[1])) is not None]
    if len(set(points)) > 1 and min(points) in _LOW_ENDS and _ANCHORED.search(text):
        low, high = min(points), max(points)
        return (low, high) if high - low + 1 <= MOST_POINTS else None
    return None


def _implied(text: str) -> tuple[int, int] | None:
    """A range that is meant as one, or a highest point beside words of rating."""
    if found := next(ranges(text), None) or by_anchors(text):
        return found
    return next(_out_of(text), None) if speaks_of_rating(text) or _GIVEN.search(text) else None


def _out_of(text: str) -> Iterator[tuple[int, int]]:
    """As in "rate it out of 5", "…/10"; "nine out of ten dentists" counts dentists."""
    if given := _GIVEN.search(text):
        yield 1, int(given[1])
    for match in (*_OUT_OF.finditer(text), *_SLASHED.finditer(text)):
        top = whole(match[1])
        counted = _COUNTED.search(text, max(0, match.start() - 12), match.start())
        if top is not None and _NARROWEST <= top <= _WIDEST and not counted:
            yield (0 if top == _HUNDRED else 1), top
