"""Means of a scale question beside each other, each with its interval, on the whole scale."""

from collections.abc import Callable, Iterator, Sequence

from mcp_server.toolsets.panels._exports.pdf import look
from mcp_server.toolsets.panels._exports.pdf.blocks import Block, Draw
from mcp_server.toolsets.panels._exports.pdf.charts import (
    colour_of,
    figure,
    named,
    part_of,
    parts,
    side_by_side,
    ticks,
)
from mcp_server.toolsets.panels._exports.pdf.sheet import Sheet
from mcp_server.toolsets.panels._exports.phrases import name_of, shown, span
from mcp_server.toolsets.panels._results import QuestionResult, ScaleFacts, Summary

ROW = 7.0
ROWS_AT_MOST = 30
NAMES, FIGURES = 46.0, 36.0
AXIS_LEFT = look.LEFT + NAMES + 3
AXIS = look.WIDTH - NAMES - FIGURES - 6
AXIS_ROOM = 6.0

CAPTION = "Comparison: mean of each group on the whole scale. Whiskers are 95 % intervals."


def comparison(sheet: Sheet, result: QuestionResult) -> Iterator[Block]:
    """Nothing without a single mean."""
    summaries = side_by_side(result)
    if not any(summary.scale for summary in summaries):
        return
    low, high = _scale(result, summaries)
    for number, part in enumerate(parts(summaries, ROWS_AT_MOST)):
        alt = "; ".join(f"{name_of(s)}: {_told(s.scale)}, n {s.n}" for s in part)
        height = len(part) * ROW + AXIS_ROOM
        yield figure(
            sheet, part_of(CAPTION, number), height, _drawing(part, low, high), f"Scale {low:g} to {high:g}. {alt}"
        )


def _scale(result: QuestionResult, summaries: Sequence[Summary]) -> tuple[float, float]:
    if result.scale_range and result.scale_range[0] < result.scale_range[-1]:
        return float(result.scale_range[0]), float(result.scale_range[-1])
    facts = [summary.scale for summary in summaries if summary.scale]
    low, high = min(fact.lowest for fact in facts), max(fact.highest for fact in facts)
    return (low, high) if low < high else (low - 1, high + 1)


def _told(facts: ScaleFacts | None) -> str:
    return "no usable answers" if facts is None else f"{shown(facts.mean)} ({span(facts.interval)})"


def _drawing(summaries: Sequence[Summary], low: float, high: float) -> Draw:
    def place(value: float) -> float:
        return AXIS_LEFT + AXIS * (min(max(value, low), high) - low) / (high - low)

    def draw(sheet: Sheet, y: float) -> None:
        bottom = y + len(summaries) * ROW
        for tick in ticks(low, high):
            sheet.stroke(place(tick), y, place(tick), bottom, look.RULE, 0.15)
            sheet.put(place(tick) - 5, bottom + 0.8, str(tick), look.TINY, 10, "C")
        sheet.stroke(AXIS_LEFT, bottom, AXIS_LEFT + AXIS, bottom, look.GREY, 0.25)
        for n, summary in enumerate(summaries):
            _row(sheet, summary, y + n * ROW, place)

    return draw


def _row(sheet: Sheet, summary: Summary, y: float, place: Callable[[float], float]) -> None:
    style = look.SMALL.but(face="B" if summary.group is None else "")
    top, middle = y + (ROW - style.line) / 2, y + ROW / 2
    sheet.put(look.LEFT, top, named(sheet, name_of(summary), NAMES, style), style, NAMES)
    right = look.LEFT + look.WIDTH - FIGURES
    if summary.scale is None:
        sheet.put(right, top, "no usable answers", look.NOTE, FIGURES, "R")
        return
    sheet.put(right, top, _told(summary.scale), style, FIGURES, "R")
    colour = colour_of(summary)
    if summary.scale.interval is not None:
        left, end = place(summary.scale.interval.low), place(summary.scale.interval.high)
        sheet.stroke(left, middle, end, middle, colour, 0.5)
        for x in (left, end):
            sheet.stroke(x, middle - 1.2, x, middle + 1.2, colour, 0.5)
    sheet.dot(place(summary.scale.mean), middle, 1.5, colour)
