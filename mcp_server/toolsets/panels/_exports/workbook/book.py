"""The file as a whole. Equal reports give equal bytes: the only time in it is that of the report."""

import io
from collections.abc import Sequence
from datetime import UTC, datetime

from xlsxwriter.workbook import Workbook

from mcp_server.toolsets.panels._exports.plain import moment, shortened
from mcp_server.toolsets.panels._exports.workbook import overview
from mcp_server.toolsets.panels._exports.workbook.names import sheet_name
from mcp_server.toolsets.panels._exports.workbook.page import Page
from mcp_server.toolsets.panels._exports.workbook.question import LAST, WIDTHS, write_question
from mcp_server.toolsets.panels._exports.workbook.styles import styles_of
from mcp_server.toolsets.panels._report import Report

_EPOCH = datetime(1980, 1, 1, tzinfo=UTC)
_OPTIONS = {
    "in_memory": True,
    "strings_to_formulas": False,
    "strings_to_urls": False,
    "strings_to_numbers": False,
}


def workbook(report: Report) -> bytes:
    """Write the workbook."""
    file = io.BytesIO()
    with Workbook(file, _OPTIONS) as book:
        made = (moment(report.generated_at) or _EPOCH).replace(tzinfo=None)
        book.set_properties({"title": shortened(report.panel, 200), "created": made})
        _write(book, report)
    return file.getvalue()


def _write(book: Workbook, report: Report) -> None:
    styles = styles_of(book)

    def page(name: str, widths: Sequence[float], last: int) -> Page:
        return Page(book.add_worksheet(name), styles, widths, last=last)

    sheets = [sheet_name(number, section.asked.text) for number, section in enumerate(report.sections, 1)]
    overview.write_summary(page("Summary", overview.SUMMARY_WIDTHS, overview.SUMMARY_LAST), report, sheets)
    for number, (section, sheet) in enumerate(zip(report.sections, sheets, strict=True), 1):
        write_question(book, page(sheet, WIDTHS, LAST), number, section)
    overview.write_answers(page("Answers", overview.ANSWER_WIDTHS, len(overview.ANSWER_WIDTHS) - 1), report)
    overview.write_method(page("Method", overview.METHOD_WIDTHS, overview.METHOD_LAST), report)
