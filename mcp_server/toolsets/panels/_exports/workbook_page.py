"""A sheet that is written from top to bottom. All that users or models wrote goes through here, as text."""

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import NamedTuple
from unicodedata import east_asian_width

from xlsxwriter.format import Format
from xlsxwriter.workbook import Workbook

from mcp_server.toolsets.panels._exports.phrases import clean
from mcp_server.toolsets.panels._exports.workbook_charts import ROW_PIXELS, STYLE, Figures

LONGEST = 32_767  # UTF-16 units that a cell holds

LINE_HEIGHT = 15.0
HIGHEST = 408.75  # points: whole pixels within what Excel allows
MOST_LINES = 20  # higher rows cannot be scrolled past; the cell still holds the whole text


class Styled(NamedTuple):
    """A value in a look of its own; a text in one is not broken into lines."""

    value: str | float
    look: str


Cell = str | int | float | Styled | datetime | None

_LOOKS: Mapping[type, str] = {str: "text", int: "count", float: "figure", datetime: "date"}


share, line = partial(Styled, look="share"), partial(Styled, look="line")
"""A number that is shown as a percentage; a text that may run on over the free cells beside it, such as an id."""


class Book:
    def __init__(self, book: Workbook) -> None:
        self.book = book
        self.formats = {name: book.add_format(look) for name, look in STYLE["looks"].items()}


class Page:
    """A new sheet of `book`, whose columns have `widths` (in characters) from the left.

    `last` is the last column that running text covers: with a table's widest one, its lines would be too long.
    """

    TITLE = 240
    """Characters of a title: what stays in sight must leave room for the rest."""

    def __init__(self, book: Book, name: str, widths: Sequence[float], *, last: int) -> None:
        self.book, self.formats, self.widths, self._last = book.book, book.formats, tuple(widths), last
        self.sheet = sheet = book.book.add_worksheet(name)
        self.row = 0
        for column, width in enumerate(widths):
            sheet.set_column(column, column, width)
        sheet.ignore_errors({"number_stored_as_text": "A1:XFD1048576"})  # an option or an answer may be 2026
        sheet.hide_gridlines(2)
        sheet.set_landscape()
        sheet.set_paper(9)  # A4
        sheet.fit_to_pages(1, 0)
        sheet.set_footer("&L&A&RPage &P of &N")

    def title(self, text: str) -> None:
        """The first line of the sheet."""
        self._across(0, text, self.formats["title"], scale=1.6)

    def note(self, text: str, look: str = "note") -> None:
        """A sentence across the sheet, which explains what is around it."""
        self._across(0, text, self.formats[look])

    def heading(self, text: str) -> None:
        self.row += 1
        for column in range(1, self._last + 1):
            self.sheet.write_blank(self.row, column, None, self.formats["heading"])
        self._string(0, text, self.formats["heading"])
        self.row += 1

    def table(self, labels: Sequence[str], rows: Sequence[Sequence[Cell]]) -> None:
        """A head, each label above its column, and the rows."""
        for column, label in enumerate(labels):
            # Numbers stand on the right, and so does what is above them.
            held = (row[column] for row in rows if column < len(row))
            first = next((cell for cell in held if cell is not None), None)
            is_number = isinstance(first.value if isinstance(first, Styled) else first, int | float)
            look = "head_right" if is_number else "head"
            self._string(column, label, self.formats[look])
        self._end_row(labels)
        self.records(rows)

    def filtered(self, name: str, columns: Collection[str], rows: Sequence[Sequence[Cell]]) -> None:
        """A real table: with filters, and a name of its own. No table may be empty: a sentence says so instead."""
        if not rows:
            self.note("There are no answers yet.")
            return
        last = (self.row + len(rows), len(columns) - 1)
        # On the left also above numbers: the button of the filter covers the right.
        heads = [{"header": column, "header_format": self.formats["head"]} for column in columns]
        options = {"name": name, "style": "Table Style Light 1", "columns": heads}
        self.sheet.add_table(self.row, 0, *last, options)
        self.row += 1
        self.records(rows)

    def records(self, rows: Sequence[Sequence[Cell]]) -> None:
        for cells in rows:
            for column, cell in enumerate(cells):
                self.put(column, cell)
            self._end_row(cells)

    def paragraphs(self, entries: Iterable[tuple[str, str]], heading: str | None = None) -> None:
        """Labels, and beside each a text across the rest of the sheet, or across all of it where there is no label."""
        if heading:
            self.heading(heading)
        for label, text in entries:
            if label:
                self._string(0, label, self.formats["label"])
                self._across(1, text, self.formats["text"], least=lines_of(label, self.widths[0]))
            else:
                self.note(text, "text")

    def charted(self, figures: Figures, labels: Sequence[str], rows: Sequence[Sequence[Cell]]) -> None:
        """A chart over free rows, below a little air, and the table that it reads, whose last rows it may leave out."""
        place, entries = self.row, min(len(rows), figures.most)
        self.row += figures.height(entries) // ROW_PIXELS + 2
        block = (self.sheet.get_name(), self.row, self.row + entries)
        self.table(labels, rows)
        chart = figures.chart(self.book, *block)
        self.sheet.insert_chart(place, 0, chart, {"object_position": 1, "x_offset": 4, "y_offset": 10})

    def put(self, column: int, cell: Cell) -> None:
        """Write one cell of the row at hand by what it is."""
        if cell is None:
            return
        value, look = cell if isinstance(cell, Styled) else (cell, _LOOKS[type(cell)])
        if isinstance(value, str):
            self._string(column, value, self.formats[look])
        else:
            self.sheet.write(self.row, column, value, self.formats[look])

    def _across(self, first: int, text: str, style: Format, *, scale: float = 1.0, least: int = 1) -> None:
        self.sheet.merge_range(self.row, first, self.row, self._last, "", style)
        self._string(first, text, style)
        width = sum(self.widths[first : self._last + 1]) / scale
        self._height(max(least, lines_of(text, width)) * scale)
        self.row += 1

    def _string(self, column: int, text: str, style: Format) -> None:
        self.sheet.write_string(self.row, column, fitting(text), style)

    def _end_row(self, cells: Sequence[Cell]) -> None:
        wrapped = zip(cells, self.widths, strict=False)
        self._height(max((lines_of(cell, width) for cell, width in wrapped if isinstance(cell, str)), default=1))
        self.row += 1

    def _height(self, lines: float) -> None:
        self.sheet.set_row(self.row, min(HIGHEST, LINE_HEIGHT * lines))


def fitting(text: str) -> str:
    """`text` as a cell can hold it; what is too long is cut, and says so."""
    cleaned = clean(text)
    if len(cleaned) * 2 > LONGEST and units(cleaned) > LONGEST:
        mark = f"… [cut: {len(cleaned)} characters in all]"
        room = (LONGEST - len(mark)) * 2
        cleaned = cleaned.encode("utf-16-le")[:room].decode("utf-16-le", "ignore") + mark
    # The writer takes such a text for markup of its own, and would put it into the file as it is.
    return f"{cleaned} " if cleaned.startswith("<r>") and cleaned.endswith("</r>") else cleaned


def lines_of(text: str, width: float) -> int:
    """How many lines a wrapped text will about take in a column, 20 at most."""
    room = max(4.0, width - 2)  # since words break early
    visible = text[: int(room * MOST_LINES) + MOST_LINES]
    # East Asian signs are twice as wide.
    wide = [len(line) + sum(east_asian_width(sign) in "WF" for sign in line) for line in visible.split("\n")]
    return min(sum(max(1, math.ceil(width / room)) for width in wide[:MOST_LINES]), MOST_LINES)


def units(text: str) -> int:
    """The length of `text` as Excel counts it."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2
