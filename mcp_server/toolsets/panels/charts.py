"""Charts as SVG text, the same for the pages and the PDF report. Pure.

Each is as wide as its place, and what lies along it is in per cent, so that nothing is stretched. Its attributes have
the colours of the report; the stylesheet of a page gives the classes its own. The figures stand beside it as text.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from mcp_server.toolsets.panels._aggregation.texts import percent
from mcp_server.toolsets.panels._exports import phrases
from mcp_server.toolsets.panels._exports.phrases import short
from mcp_server.toolsets.panels._results import Interval, QuestionResult, ScaleFacts, Summary

Span = tuple[float, float]

INK, GREY, RULE, PALE, WHITE = "#1f2933", "#56616e", "#cbd2d9", "#f3f5f8", "#ffffff"
STRONG, PLAIN = ("fill strong", "#0b4f6c"), ("fill", "#2e7ca8")
SERIES = (
    *(("#0072b2", WHITE), ("#f0e442", INK), ("#d55e00", WHITE), ("#56b4e9", INK)),
    *(("#00825f", WHITE), ("#e69f00", INK), ("#965082", WHITE), ("#cdcdcd", INK)),
)
"""After Okabe and Ito, who chose them for every kind of sight. Dark and light alternate, so they differ in grey; and
letters tell them apart, too. More options cannot be told."""

LETTERS = "ABCDEFGH"

BAR, MEAN, STACK, COLUMNS, LABELS = 7, 14, 16, 96, 10  # heights, in points of the report and pixels of a page
BASE, ROOM = 82, 68  # of columns: where they stand, and how high the highest is
EDGE = 4  # per cent on both sides of an axis, for the labels of its ends
MOST_TICKS = 12
LEAST_NAMED = 0.05  # of a stack

CHART = Markup(
    '<svg xmlns="http://www.w3.org/2000/svg" class="{}" width="100%" height="{}" role="img" font-size="8"'
    ' font-family="Source Sans 3" text-anchor="middle"><title>{}</title>{}</svg>'
)
RECT = Markup('<rect class="{}" fill="{}" x="{}%" width="{}%" y="{}" height="{}"/>')
LINES = Markup('<g class="{}" stroke="{}" stroke-width="{}">{}</g>')
LINE = Markup('<line x1="{}%" x2="{}%" y1="{}" y2="{}"/>')
DOT = Markup('<circle class="{}" fill="{}" cx="{}%" cy="50%" r="4"/>')
TEXT = Markup('<text class="{}" fill="{}" x="{}%" y="{}">{}</text>')


@dataclass(frozen=True, slots=True)
class Drawn:
    """Everyone, or a group, and its charts: empty where there is nothing to draw. `bars` are by option."""

    summary: Summary
    name: str
    headline: Markup
    columns: Markup
    mean: Markup
    stack: Markup
    bars: Mapping[str, Markup]


def side_by_side(result: QuestionResult) -> list[Drawn]:
    """Everyone and each group; a single group alone, since that is everyone. All are drawn on the same scales."""
    rows = result.groups if len(result.groups) == 1 else phrases.summaries(result)
    points = phrases.points_of(result) if result.type == "scale" else []
    ranges = [phrases.ranges(points, row.counts) for row in rows]
    tops = [count / row.n for row, given in zip(rows, ranges, strict=True) if row.n for _, count in given]
    ends, options = ends_of(result), [one.value for one in result.overall.counts]
    can_stack = result.type == "categorical" and len(options) <= len(SERIES)
    return [
        Drawn(
            summary=row,
            name=phrases.name_of(row),
            headline=_headline(row, result),
            columns=_columns(row, given, max(tops)) if points and row.n else Markup(),
            mean=_mean(row, row.scale, ends) if row.scale and ends else Markup(),
            stack=_stack(row, options) if can_stack and row.n else Markup(),
            bars={one.value: bar(one.count, one.share, one.interval, is_strong=row.group is None) for one in row.counts}
            if result.type in {"categorical", "multiselect"}
            else {},
        )
        for row, given in zip(rows, ranges, strict=True)
    ]


def ends_of(result: QuestionResult) -> Span | None:
    """Between which points means are placed; None where nothing has one."""
    facts = [row.scale for row in phrases.summaries(result) if row.scale]
    if not facts:
        return None
    low, high = result.scale_range or (min(one.lowest for one in facts), max(one.highest for one in facts))
    return (low, high) if low < high else (low - 1, high + 1)


def bar(count: int, share: float, interval: Interval | None = None, *, is_strong: bool = False) -> Markup:
    """A bar from 0 to 1, with a whisker from one end of the interval to the other."""
    span = f", 95 % interval from {percent(interval.low)} to {percent(interval.high)}" if interval else ""
    whisker = _whisker(_percent(interval.low), _percent(interval.high), INK) if interval else ""
    return _bar(f"{percent(share)} of the answers ({count}){span}", share, STRONG if is_strong else PLAIN, whisker)


def axis(low: float, high: float) -> Markup:
    """The labels of what `mean` places."""
    named = (TEXT.format("soft", GREY, _placed(tick, (low, high)), LABELS - 2, tick) for tick in ticks(low, high))
    return _chart("axis", LABELS, f"Scale from {low:g} to {high:g}", *named)


def legend(result: QuestionResult) -> list[tuple[Markup, str, str]]:
    """What the parts of a stack are: colour, letter and option."""
    options = [one.value for one in result.overall.counts[: len(SERIES)]]
    return [
        (_chart("swatch", BAR, letter, RECT.format("", fill, 0, 100, 0, "100%")), letter, option)
        for letter, (fill, _), option in zip(LETTERS, SERIES, options, strict=False)
    ]


def ticks(low: float, high: float) -> list[int]:
    """Whole numbers between both ends: all of them, or about ten at equal distances."""
    first, last = round(low), round(high)
    step = max(1, math.ceil((last - first) / (MOST_TICKS - 2)))
    found = [*range(first, last + 1, step)]
    return found if found[-1] == last else [*(tick for tick in found if last - tick >= step / 2), last]


def _headline(row: Summary, result: QuestionResult) -> Markup:
    """How far the mean is along its scale, or how many gave the most frequent answer."""
    ends = result.scale_range
    if row.scale and ends and ends[0] < ends[1]:
        share = (row.scale.mean - ends[0]) / (ends[1] - ends[0])
    elif row.counts and not row.scale:
        share = max(one.share for one in row.counts)
    else:
        return Markup()
    return _bar(row.value or "", share, _colour(row))


def _bar(title: str, share: float, colour: tuple[str, str], whisker: str = "") -> Markup:
    track = RECT.format("track", PALE, 0, 100, 0, "100%")
    return _chart("bar", BAR, title, track, RECT.format(*colour, 0, _percent(share), 0, "100%"), whisker)


def _columns(row: Summary, counts: Sequence[tuple[str, int]], top: float) -> Markup:
    """A column for each point, with its count above and the point below; as high as its share, everywhere the same."""
    place = 100 / len(counts)
    drawn = [LINES.format("axis", GREY, 0.6, LINE.format(0, 100, BASE, BASE))]
    for at, (label, count) in enumerate(counts):
        height, middle = ROOM * count / row.n / top, short(place * (at + 0.5))
        if count:
            size = short(place * (at + 0.14)), short(place * 0.72), short(BASE - height), short(height)
            drawn += [
                RECT.format(*_colour(row), *size),
                TEXT.format("count", INK, middle, short(BASE - height - 3), count),
            ]
        drawn.append(TEXT.format("soft", GREY, middle, COLUMNS - 4, label))
    words = ", ".join(f"{label}: {count}" for label, count in counts if count)
    return _chart("columns", COLUMNS, f"\u2068{phrases.name_of(row)}\u2069: {words}", *drawn)


def _mean(row: Summary, facts: ScaleFacts, ends: Span) -> Markup:
    """A dot on the whole scale, with a whisker."""
    colour, found = _colour(row), facts.interval
    lines = Markup().join(LINE.format(x, x, 0, "100%") for x in (_placed(tick, ends) for tick in ticks(*ends)))
    whisker = _whisker(_placed(found.low, ends), _placed(found.high, ends), colour[1]) if found else ""
    drawn = LINES.format("axis", RULE, 0.4, lines), whisker, DOT.format(*colour, _placed(facts.mean, ends))
    return _chart("mean", MEAN, f"{facts.mean:.2f} on a scale from {ends[0]:g} to {ends[1]:g}", *drawn)


def _stack(row: Summary, options: Sequence[str]) -> Markup:
    """A bar that is divided by the options. Letters name them, since no meaning is carried by colour alone."""
    given = {one.value: one.count for one in row.counts}
    counts = [given.get(option, 0) for option in options]
    drawn, start, total = list[Markup](), 0.0, sum(counts) or 1
    for letter, (fill, ink), count in zip(LETTERS, SERIES, counts, strict=False):
        share = count / total
        drawn.append(RECT.format("part", fill, _percent(start), _percent(share), 0, "100%"))
        if share > LEAST_NAMED:
            drawn.append(TEXT.format("part", ink, _percent(start + share / 2), STACK - 5, f"{letter} {count}"))
        start += share
    words = ", ".join(f"{option}: {count}" for option, count in zip(options, counts, strict=True))
    return _chart("stack", STACK, f"\u2068{phrases.name_of(row)}\u2069: {words}", *drawn)


def _whisker(low: str, high: str, stroke: str) -> Markup:
    """With a halo, so that it is seen on a bar and beside it."""
    caps = [LINE.format(x, x, "20%", "80%") for x in (low, high)]
    drawn = Markup().join([LINE.format(low, high, "50%", "50%"), *caps])
    return LINES.format("halo", WHITE, 2.2, drawn) + LINES.format("whisker", stroke, 0.9, drawn)


def _chart(kind: str, height: float, title: str, *drawn: str) -> Markup:
    return CHART.format(kind, height, phrases.clean(title), Markup().join(drawn))


def _colour(row: Summary) -> tuple[str, str]:
    return STRONG if row.group is None else PLAIN


def _placed(value: float, ends: Span) -> str:
    share = (value - ends[0]) / (ends[1] - ends[0])
    return short(EDGE + (100 - 2 * EDGE) * min(1.0, max(0.0, share)))


def _percent(share: float) -> str:
    return short(100 * min(1.0, max(0.0, share)))
