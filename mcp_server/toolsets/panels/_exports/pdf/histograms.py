"""The distribution of a scale question: a small chart for each group, all on the same two axes."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from mcp_server.toolsets.panels._exports.pdf import look
from mcp_server.toolsets.panels._exports.pdf.blocks import Block, Draw, put_lines
from mcp_server.toolsets.panels._exports.pdf.charts import (
    colour_of,
    figure,
    named,
    one_line,
    part_of,
    parts,
    side_by_side,
)
from mcp_server.toolsets.panels._exports.pdf.sheet import Sheet
from mcp_server.toolsets.panels._exports.phrases import TO, name_of, points_of, ranges
from mcp_server.toolsets.panels._results import QuestionResult, Summary

ROWS_AT_MOST = 5
BARS = 21.0
"""Height of the highest possible bar."""
CELL = BARS + 17.0
GUTTER = 6.0

CAPTION = (
    "Distribution: how many gave each answer. The height of a bar is its share of the group, the same in every chart."
)


@dataclass(frozen=True, slots=True)
class Axes:
    """What all charts of a question share: the points from left to right, and the share at the top."""

    points: Sequence[str]
    top: float


def distribution(sheet: Sheet, result: QuestionResult) -> Iterator[Block]:
    """Up to three charts beside each other."""
    summaries = side_by_side(result)
    across = {1: 1, 2: 2, 4: 2}.get(len(summaries), 3)
    points = points_of(result)
    top = max((count / one.n for one in summaries if one.n for _, count in ranges(points, one.counts)), default=1)
    for number, part in enumerate(parts(summaries, across * ROWS_AT_MOST)):
        rows = -(-len(part) // across)
        alt = "; ".join(f"{name_of(s)}: {_told(s, points)}" for s in part)
        axes = Axes(points, top or 1)
        yield figure(sheet, part_of(CAPTION, number), rows * CELL, _grid(part, across, axes), alt)


def _told(summary: Summary, points: Sequence[str]) -> str:
    found = ranges(points, summary.counts)
    return ", ".join(f"{label}: {count}" for label, count in found if count) or "no usable answers"


def _grid(summaries: Sequence[Summary], across: int, axes: Axes) -> Draw:
    width = (look.WIDTH - (across - 1) * GUTTER) / across

    def draw(sheet: Sheet, y: float) -> None:
        for n, summary in enumerate(summaries):
            row, column = divmod(n, across)
            _chart(sheet, summary, (look.LEFT + column * (width + GUTTER), y + row * CELL), width, axes)

    return draw


def _chart(sheet: Sheet, summary: Summary, corner: tuple[float, float], width: float, axes: Axes) -> None:
    x, y = corner
    told = f"n = {summary.n}"
    room = width - sheet.wide(told, look.TINY) - 2
    bold = look.SMALL.but(face="B")
    sheet.put(x, y, named(sheet, name_of(summary), room, bold), bold)
    sheet.put(x, y + 0.4, told, look.TINY, width, "R")
    base = y + 8.5 + BARS
    if summary.n:
        _bars(sheet, summary, (x, base), width, axes)
    else:
        sheet.put(x, base - BARS / 2, "No usable answers", look.NOTE, width, "C")
    sheet.stroke(x, base, x + width, base, look.GREY, 0.25)


def _bars(sheet: Sheet, summary: Summary, origin: tuple[float, float], width: float, axes: Axes) -> None:
    x, base = origin
    found = ranges(axes.points, summary.counts)
    step = width / max(1, len(found))
    thick = min(step * 0.72, 12)
    labels = _labels(sheet, [label for label, _ in found], step)
    for n, ((_, count), lines) in enumerate(zip(found, labels, strict=True)):
        left = x + n * step
        high = BARS * count / summary.n / axes.top
        if count:
            sheet.box(left + (step - thick) / 2, base - high, thick, high, colour_of(summary))
        style = look.TINY.but(colour=look.INK if count else look.GREY)
        sheet.put(left, base - high - style.line, str(count), style, step, "C")
        put_lines(sheet, lines, left, base + 0.8, step, look.TINY, "C")


def _labels(sheet: Sheet, labels: Sequence[str], width: float) -> list[list[str]]:
    """Each in one line where all fit, else the two ends of a range below each other."""
    if all(sheet.wide(label, look.TINY) < width for label in labels):
        return [[label] for label in labels]
    ends = [label.replace(TO, f"{TO}\n").split("\n") for label in labels]
    return [[one_line(sheet, end, width, look.TINY) for end in each] for each in ends]
