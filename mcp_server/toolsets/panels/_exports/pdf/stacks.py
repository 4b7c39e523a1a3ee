"""The distribution of a categorical question: a bar of 100 % for each group, divided by options."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from mcp_server.toolsets.panels._exports.pdf import look
from mcp_server.toolsets.panels._exports.pdf.blocks import Block, Draw, lines_of, put_lines
from mcp_server.toolsets.panels._exports.pdf.breaking import cut
from mcp_server.toolsets.panels._exports.pdf.charts import figure, named, part_of, parts, side_by_side
from mcp_server.toolsets.panels._exports.pdf.look import Colour
from mcp_server.toolsets.panels._exports.pdf.sheet import Align, Sheet
from mcp_server.toolsets.panels._exports.phrases import name_of
from mcp_server.toolsets.panels._percent import percent
from mcp_server.toolsets.panels._results import QuestionResult, Summary

OPTIONS_AT_MOST = len(look.SERIES)
"""More than these cannot be told apart; then the matrix alone shows them."""
ROW = 8.0
ROWS_AT_MOST = 20
NAMES = 46.0
BAR_LEFT = look.LEFT + NAMES + 3
BAR = look.WIDTH - NAMES - 3
AXIS_ROOM = 7.0
LETTERS = "ABCDEFGH"
SWATCH = 4.5
OPTION_AT_MOST = 200
BRIGHT = 140
"""Brightness from which letters on a colour are dark."""

CAPTION = (
    "Distribution: each bar is a group, divided by its answers. Letters name the option, figures count the answers."
)


@dataclass(frozen=True, slots=True)
class Entry:
    """Of the legend, and where it stands in it."""

    x: float
    y: float
    lines: list[str]


def distribution(sheet: Sheet, result: QuestionResult) -> Iterator[Block]:
    """Nothing when there are too many options to tell apart, or none."""
    options = [count.value for count in result.overall.counts]
    if not 0 < len(options) <= OPTIONS_AT_MOST:
        return
    legend = _legend(sheet, options)
    below = 2 + max(entry.y + len(entry.lines) * look.SMALL.line for entry in legend)
    for number, part in enumerate(parts(side_by_side(result), ROWS_AT_MOST)):
        alt = "; ".join(f"{name_of(s)}: {_told(s)}" for s in part)
        height = below + AXIS_ROOM + len(part) * ROW
        yield figure(sheet, part_of(CAPTION, number), height, _drawing(part, legend, below), alt)


def _legend(sheet: Sheet, options: Sequence[str]) -> list[Entry]:
    """Beside each other where they fit."""
    entries: list[Entry] = []
    x = y = high = 0.0
    for letter, option in zip(LETTERS, options, strict=False):
        lines = lines_of(sheet, f"{letter}  {cut(' '.join(option.split()), OPTION_AT_MOST)}", BAR - SWATCH, look.SMALL)
        wide = SWATCH + max(sheet.wide(line, look.SMALL) for line in lines)
        if x and x + wide > BAR:
            x, y, high = 0.0, y + high + 0.8, 0.0
        entries.append(Entry(x, y, lines))
        x, high = x + wide + 5, max(high, len(lines) * look.SMALL.line)
    return entries


def _told(summary: Summary) -> str:
    return ", ".join(f"{count.value}: {count.count}" for count in summary.counts) if summary.n else "no usable answers"


def _drawing(summaries: Sequence[Summary], legend: Sequence[Entry], below: float) -> Draw:
    def draw(sheet: Sheet, y: float) -> None:
        for colour, entry in zip(look.SERIES, legend, strict=False):
            sheet.box(BAR_LEFT + entry.x, y + entry.y + 0.5, 3, 2.8, colour)
            put_lines(sheet, entry.lines, BAR_LEFT + entry.x + SWATCH, y + entry.y, BAR - SWATCH, look.SMALL)
        y += below
        for n, summary in enumerate(summaries):
            _row(sheet, summary, y + n * ROW)
        _axis(sheet, y + len(summaries) * ROW)

    return draw


def _axis(sheet: Sheet, y: float) -> None:
    labels: tuple[tuple[float, float, Align], ...] = ((0, 0, "L"), (0.5, -5, "C"), (1, -10, "R"))
    for share, shift, align in labels:
        x = BAR_LEFT + BAR * share
        sheet.stroke(x, y, x, y + 1, look.GREY)
        sheet.put(x + shift, y + 1.2, percent(share), look.TINY, 10, align)
    sheet.stroke(BAR_LEFT, y, BAR_LEFT + BAR, y, look.GREY, 0.25)


def _row(sheet: Sheet, summary: Summary, y: float) -> None:
    style = look.SMALL.but(face="B" if summary.group is None else "")
    told = f"n = {summary.n}"
    room = NAMES - sheet.wide(told, look.TINY) - 2
    top = y + (ROW - style.line) / 2
    sheet.put(look.LEFT, top, named(sheet, name_of(summary), room, style), style)
    sheet.put(look.LEFT, top + 0.3, told, look.TINY, NAMES, "R")
    if not summary.n:
        sheet.put(BAR_LEFT + 2, top, "No usable answers", look.NOTE)
        return
    total = sum(count.count for count in summary.counts) or 1
    x = BAR_LEFT
    for letter, colour, count in zip(LETTERS, look.SERIES, summary.counts, strict=False):
        width = BAR * count.count / total
        _segment(sheet, (x, y + 1), width, f"{letter} {count.count}", colour)
        x += width


def _segment(sheet: Sheet, corner: tuple[float, float], width: float, label: str, colour: Colour) -> None:
    if not width:
        return
    x, y = corner
    sheet.box(x, y, width, ROW - 2, colour)
    sheet.stroke(x + width, y, x + width, y + ROW - 2, look.WHITE, 0.4)
    style = look.TINY.but(face="B", colour=look.INK if brightness(colour) > BRIGHT else look.WHITE)
    if sheet.wide(label, style) + 1 < width:
        sheet.put(x, y + (ROW - 2 - style.line) / 2, label, style, width, "C")


def brightness(colour: Colour) -> float:
    """What remains of a colour in greyscale (ITU-R BT.601)."""
    red, green, blue = colour
    return 0.299 * red + 0.587 * green + 0.114 * blue
