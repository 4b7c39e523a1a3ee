"""Charts as SVG text, the same for the pages and the PDF report. Pure. `charts.svg.jinja` draws them.

Each is as wide as its place, and what lies along it is in per cent, so that nothing is stretched. Its attributes have
the colours of the report; the stylesheet of a page gives the classes its own. The figures stand beside it as text.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from mcp_server.toolsets.panels._aggregation.texts import percent
from mcp_server.toolsets.panels._exports import phrases
from mcp_server.toolsets.panels._exports.phrases import short
from mcp_server.toolsets.panels._results import Interval, QuestionResult, Summary

Span = tuple[float, float]

SERIES = ("#0072b2", "#f0e442", "#d55e00", "#56b4e9", "#00825f", "#e69f00", "#965082", "#cdcdcd")
"""After Okabe and Ito, who chose them for every kind of sight. Dark and light alternate, so they differ in grey; and
letters tell them apart, too. More options cannot be told."""

LETTERS = "ABCDEFGH"

EDGE = 4  # per cent on both sides of an axis, for the labels of its ends
MOST_TICKS = 12


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
            columns=_draw("columns", row, _title(row, [one for one in given if one[1]]), given, max(tops))
            if points and row.n
            else Markup(),
            mean=_draw("mean", row, ends) if row.scale and ends else Markup(),
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
    return _draw("bar", f"{percent(share)} of the answers ({count}){span}", share, is_strong, interval)


def axis(low: float, high: float) -> Markup:
    """The labels of what `mean` places."""
    return _draw("axis", (low, high))


def legend(result: QuestionResult) -> list[tuple[Markup, str, str]]:
    """What the parts of a stack are: colour, letter and option."""
    options = [one.value for one in result.overall.counts]
    parts = zip(LETTERS, SERIES, options, strict=False)
    return [(_draw("swatch", letter, fill), letter, option) for letter, fill, option in parts]


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
    return _draw("bar", row.value or "", share, row.group is None, None)


def _stack(row: Summary, options: Sequence[str]) -> Markup:
    given = {one.value: one.count for one in row.counts}
    counts = [given.get(option, 0) for option in options]
    parts = list(zip(LETTERS, SERIES, counts, strict=False))
    return _draw("stack", _title(row, zip(options, counts, strict=True)), parts, sum(counts) or 1)


def _title(row: Summary, counts: Iterable[tuple[str, int]]) -> str:
    return f"\u2068{phrases.name_of(row)}\u2069: {', '.join(f'{label}: {count}' for label, count in counts)}"


def _draw(chart: str, *figures: Any) -> Markup:
    drawn: Markup = getattr(_ENVIRONMENT.get_template("charts.svg.jinja").module, chart)(*figures)
    return drawn


def _placed(value: float, ends: Span, edge: int = EDGE) -> str:
    share = (value - ends[0]) / (ends[1] - ends[0])
    return short(edge + (100 - 2 * edge) * min(1.0, max(0.0, share)))


_ENVIRONMENT = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
_ENVIRONMENT.loader = FileSystemLoader(Path(__file__).parent)
_ENVIRONMENT.filters.update(clean=phrases.clean, short=short, placed=_placed)
_ENVIRONMENT.filters["part"] = partial(_placed, ends=(0, 1), edge=0)
_ENVIRONMENT.globals.update(ticks=ticks)
