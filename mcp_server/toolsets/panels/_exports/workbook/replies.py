"""Replies as a real table: with filters, and a name of its own."""

from collections.abc import Sequence

from mcp_server.toolsets.panels._exports.phrases import STATUSES, answer_of, origin_of
from mcp_server.toolsets.panels._exports.workbook.page import Cell, Line, Page
from mcp_server.toolsets.panels._report import Section
from mcp_server.toolsets.panels._study import Reply

COLUMNS = (
    "Group",
    "Persona",
    "Persona id",
    "Discipline",
    "Status",
    "Answer",
    "Sentiment",
    "Grounded in",
    "Sources",
    "Error",
    "Full response",
)


def reply_cells(section: Section, reply: Reply) -> list[Cell]:
    """One row of the table. The whole response stands last, where its width disturbs nothing."""
    return [
        reply.group,
        reply.persona,
        Line(reply.persona_id) if reply.persona_id else None,
        reply.discipline,
        STATUSES[reply.status],
        answer_of(section, reply),
        reply.sentiment,
        origin_of(reply),
        "; ".join(reply.sources),
        reply.error,
        reply.message,
    ]


def write_table(page: Page, name: str, columns: Sequence[str], rows: Sequence[Sequence[Cell]]) -> None:
    """Write the table at the row at hand. `rows` may not be empty, which no table may be."""
    first = page.row
    page.sheet.add_table(
        first,
        0,
        first + len(rows),
        len(columns) - 1,
        {
            "name": name,
            "style": "Table Style Light 1",
            # On the left also above numbers: the button of the filter covers the right.
            "columns": [{"header": column, "header_format": page.styles.head} for column in columns],
        },
    )
    page.skip(1)
    page.records(rows)
