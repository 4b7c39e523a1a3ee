"""Tables: rows as high as their longest cell, and a header that comes again on every page."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from mcp_server.toolsets.panels._exports.pdf import look
from mcp_server.toolsets.panels._exports.pdf.blocks import Block, lines_of, put_lines
from mcp_server.toolsets.panels._exports.pdf.breaking import cut
from mcp_server.toolsets.panels._exports.pdf.look import Style
from mcp_server.toolsets.panels._exports.pdf.sheet import Align, Sheet

PADDING = 1.6
ASIDE = 3.0
"""Blank between two columns."""
CELL_AT_MOST = 700
"""Characters. A row must fit on a page."""


@dataclass(frozen=True, slots=True)
class Column:
    """`width` is its part of the table's: widths are scaled to fill the page. `prose` is as in `put_lines`."""

    title: str
    width: float
    align: Align = "L"
    bold: bool = False
    prose: bool = False


@dataclass(frozen=True, slots=True)
class Row:
    """`strong` rows are printed bold, such as the one of everyone."""

    cells: Sequence[str]
    strong: bool = False


def table(
    sheet: Sheet, columns: Sequence[Column], rows: Iterable[Row], style: Style = look.SMALL, gap: float = 3
) -> Iterator[Block]:
    """The header, and each row as a block."""
    scale = look.WIDTH / sum(column.width for column in columns)
    widths = [column.width * scale for column in columns]
    titles = Row([column.title for column in columns])
    header = _row(sheet, columns, widths, titles, style.but(face="B", colour=look.ACCENT), heads=True)
    yield Block(header.height, header.draw, gap=gap, keep=True)
    for row in rows:
        block = _row(sheet, columns, widths, row, style)
        yield Block(block.height, block.draw, header=header)


def _row(
    sheet: Sheet, columns: Sequence[Column], widths: Sequence[float], row: Row, style: Style, *, heads: bool = False
) -> Block:
    styles = [style.but(face="B") if row.strong or column.bold else style for column in columns]
    cells = [
        lines_of(sheet, cut(text, CELL_AT_MOST), width - ASIDE, own)
        for text, width, own in zip(row.cells, widths, styles, strict=True)
    ]
    height = max(len(lines) for lines in cells) * style.line + PADDING

    def draw(page: Sheet, y: float) -> None:
        x = look.LEFT
        if heads:
            page.box(x, y, look.WIDTH, height, look.PALE)
        for lines, width, own, column in zip(cells, widths, styles, columns, strict=True):
            put_lines(page, lines, x + ASIDE / 2, y + PADDING / 2, width - ASIDE, own, column.align, prose=column.prose)
            x += width
        page.stroke(look.LEFT, y + height, look.LEFT + look.WIDTH, y + height, look.RULE, 0.15)

    return Block(height, draw)
