"""A row of the table of replies."""

from mcp_server.toolsets.panels._exports.workbook.page import Line
from mcp_server.toolsets.panels._exports.workbook.replies import COLUMNS, reply_cells
from tests.mcp_server.toolsets.panels.reports import report_of

SECTION = report_of().sections[0]


def test_a_row_has_a_cell_for_each_column_in_their_order() -> None:
    reply = SECTION.asked.replies[1]

    row = dict(zip(COLUMNS, reply_cells(SECTION, reply), strict=True))

    assert row["Persona"] == reply.persona
    assert row["Persona id"] == Line("p-1")
    assert row["Answer"] == 8
    assert row["Status"] == "Answered"
    assert row["Full response"] == reply.message


def test_a_failed_reply_says_why_and_has_no_answer() -> None:
    failed = next(reply for reply in SECTION.asked.replies if reply.status == "timeout")

    row = dict(zip(COLUMNS, reply_cells(SECTION, failed), strict=True))

    assert row["Status"] == "Too slow"
    assert row["Error"] == "timeout"
    assert row["Answer"] == ""
