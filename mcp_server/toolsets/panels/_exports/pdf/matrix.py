"""Shares beside each other: a row for each option or theme, a column for each group, in each cell a bar on one axis."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from mcp_server.toolsets.panels._exports.pdf import look
from mcp_server.toolsets.panels._exports.pdf.blocks import Block, Draw, lines_of, put_lines
from mcp_server.toolsets.panels._exports.pdf.breaking import cut
from mcp_server.toolsets.panels._exports.pdf.charts import figure, named, part_of, parts
from mcp_server.toolsets.panels._exports.pdf.sheet import Sheet
from mcp_server.toolsets.panels._exports.phrases import NONE
from mcp_server.toolsets.panels._percent import percent
from mcp_server.toolsets.panels._results import Interval

COLUMNS_AT_MOST = 5
ROOM = 200.0
"""Height of the rows of one chart at most."""
LABELS = 44.0
GUTTER = 4.0
HEAD = 10.0
ROW_AT_LEAST = 9.0
THICK = 2.6


@dataclass(frozen=True, slots=True)
class Cell:
    """`n` is what `count` is a share of."""

    count: int
    n: int
    interval: Interval | None = None

    @property
    def share(self) -> float:
        return self.count / self.n if self.n else 0.0

    @property
    def told(self) -> str:
        return f"{self.count} · {percent(self.share)}" if self.n else NONE


@dataclass(frozen=True, slots=True)
class Head:
    """Of a column. `whole` is that of everyone."""

    name: str
    n: int
    whole: bool


@dataclass(frozen=True, slots=True)
class Line:
    """A row: what is counted, and how often in each column."""

    label: str
    cells: Sequence[Cell]


def matrix(sheet: Sheet, caption: str, heads: Sequence[Head], lines: Sequence[Line]) -> Iterator[Block]:
    """As many charts as it takes, all on an axis from 0 to 100 %."""
    number = 0
    for columns in parts(range(len(heads)), COLUMNS_AT_MOST):
        for rows in _pages(sheet, lines):
            chosen = [heads[column] for column in columns]
            cells = [Line(line.label, [line.cells[column] for column in columns]) for line, _ in rows]
            labels = [label for _, label in rows]
            height = HEAD + sum(_height(label) for label in labels)
            draw = _drawing(chosen, cells, labels)
            yield figure(sheet, part_of(caption, number), height, draw, _told(chosen, cells))
            number += 1


def _pages(sheet: Sheet, lines: Sequence[Line]) -> Iterator[list[tuple[Line, list[str]]]]:
    """Rows with their broken labels, so many as there is room for."""
    page: list[tuple[Line, list[str]]] = []
    used = 0.0
    for line in lines:
        label = lines_of(sheet, cut(" ".join(line.label.split()), 120), LABELS, look.SMALL)
        if page and used + _height(label) > ROOM:
            yield page
            page, used = [], 0.0
        page.append((line, label))
        used += _height(label)
    if page:
        yield page


def _height(label: Sequence[str]) -> float:
    return max(ROW_AT_LEAST, len(label) * look.SMALL.line + 2.5)


def _told(heads: Sequence[Head], lines: Sequence[Line]) -> str:
    return "; ".join(
        f"{line.label}: " + ", ".join(f"{head.name} {cell.told}" for head, cell in zip(heads, line.cells, strict=True))
        for line in lines
    )


def _drawing(heads: Sequence[Head], lines: Sequence[Line], labels: Sequence[list[str]]) -> Draw:
    step = (look.WIDTH - LABELS) / len(heads)
    width = step - GUTTER

    def draw(sheet: Sheet, y: float) -> None:
        lefts = [look.LEFT + LABELS + GUTTER + n * step for n in range(len(heads))]
        for head, x in zip(heads, lefts, strict=True):
            _head(sheet, head, x, y, width)
        y += HEAD
        for line, label in zip(lines, labels, strict=True):
            sheet.stroke(look.LEFT, y, look.LEFT + look.WIDTH, y, look.RULE, 0.15)
            put_lines(sheet, label, look.LEFT, y + 1.2, LABELS, look.SMALL)
            for head, cell, x in zip(heads, line.cells, lefts, strict=True):
                _cell(sheet, head, cell, (x, y), width)
            y += _height(label)

    return draw


def _head(sheet: Sheet, head: Head, x: float, y: float, width: float) -> None:
    style = look.SMALL.but(face="B")
    sheet.put(x, y, named(sheet, head.name, width, style), style)
    sheet.put(x, y + 4, f"n = {head.n}", look.TINY)


def _cell(sheet: Sheet, head: Head, cell: Cell, corner: tuple[float, float], width: float) -> None:
    x, y = corner
    sheet.put(x, y + 0.9, cell.told, look.TINY.but(colour=look.INK))
    top = y + 5
    sheet.box(x, top, width, THICK, look.PALE)
    if cell.count:
        sheet.box(x, top, width * min(1.0, cell.share), THICK, look.ACCENT if head.whole else look.BAR)
    if cell.interval is not None and cell.n:
        _whisker(sheet, cell.interval, (x, top + THICK / 2), width)


def _whisker(sheet: Sheet, interval: Interval, start: tuple[float, float], width: float) -> None:
    """White below ink, so that it is seen on the bar and beside it."""
    x, y = start
    low, high = (x + width * min(1.0, max(0.0, bound)) for bound in (interval.low, interval.high))
    for colour, thick in ((look.WHITE, 0.7), (look.INK, 0.3)):
        sheet.stroke(low, y, high, y, colour, thick)
        for end in (low, high):
            sheet.stroke(end, y - 0.8, end, y + 0.8, colour, thick)
