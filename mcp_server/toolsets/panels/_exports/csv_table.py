"""The replies as CSV: RFC 4180, one row for each, and nothing that a spreadsheet would take for a formula."""

import csv
import io
import re
from collections.abc import Iterator

from mcp_server.toolsets.panels._aggregation.reading import failure
from mcp_server.toolsets.panels._exports.phrases import answer_of, ordered, origin_of
from mcp_server.toolsets.panels._exports.plain import clean, number_in
from mcp_server.toolsets.panels._results import Report, Section
from mcp_server.toolsets.panels._study import Reply

COLUMNS = (
    "Question",
    "Question type",
    "Asked at",
    "Group",
    "Persona",
    "Persona id",
    "Discipline",
    "Status",
    "Answer",
    "Full response",
    "Sentiment",
    "Grounded in",
    "Sources",
    "Error",
)

Cell = str | int | float | None

_BLANK = "[\\s\u200b\u2060\ufeff]*"
_SIGN = "=+\\-@\uff1d\uff0b\uff0d\uff20\ufe62\ufe63\ufe66\ufe6b"  # ASCII, full width, small
_FORMULA = re.compile(f"{_BLANK}[{_SIGN}]|[\t\n]")

_INNER = re.compile(f"(?<=[;\t\n])( *)(?=[=\uff1d\ufe66]|[{_SIGN}][^\\s])")
"""A program that takes the semicolon for the separator, as Excel does in much of Europe, ignores the quotes and begins
a new cell here. A sign with a space behind it is left alone, since that is how lists are written."""


def comma_separated(report: Report, *, bom: bool = True) -> bytes:
    """Write the table; the byte order mark makes Excel read it as UTF-8."""
    written = io.StringIO(newline="")
    # All texts are quoted, so that blanks at their ends and empty ones survive; numbers stay bare.
    table = csv.writer(written, lineterminator="\r\n", quoting=csv.QUOTE_NONNUMERIC)
    table.writerow(COLUMNS)
    for section in report.sections:
        table.writerows(_rows(section))
    return written.getvalue().encode("utf-8-sig" if bom else "utf-8")


def _rows(section: Section) -> Iterator[list[Cell]]:
    return ([guarded(cell) for cell in cells(section, reply)] for reply in ordered(section.asked))


def cells(section: Section, reply: Reply) -> tuple[Cell, ...]:
    """One row of the table, before anything is escaped."""
    asked = section.asked
    return (
        asked.text,
        asked.type,
        asked.asked_at,
        reply.group,
        reply.persona,
        reply.persona_id,
        reply.discipline,
        reply.status,
        answer_of(section, reply),
        reply.message,
        reply.sentiment,
        origin_of(reply),
        "; ".join(reply.sources),
        failure(reply),
    )


def guarded(cell: Cell) -> Cell:
    """A text that no spreadsheet calculates: an apostrophe stands before what would begin a formula."""
    if not isinstance(cell, str):
        return cell
    text = clean(cell)
    if number_in(text) is not None:
        return text
    inside = _INNER.sub(r"\1'", text)
    return f"'{inside}" if _FORMULA.match(text) else inside
