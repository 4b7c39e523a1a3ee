"""The workbook: a summary, a sheet for each question, all answers in one table, and the method."""

import io
import re
from collections.abc import Sequence
from datetime import UTC, datetime

from xlsxwriter.workbook import Workbook

from mcp_server.toolsets.panels._exports import phrases
from mcp_server.toolsets.panels._exports.data import attribute_columns
from mcp_server.toolsets.panels._exports.phrases import moment, one_line, shortened
from mcp_server.toolsets.panels._exports.tables import Report, caveats, facts, methods
from mcp_server.toolsets.panels._exports.workbook_charts import STYLE
from mcp_server.toolsets.panels._exports.workbook_page import Book, Cell, Page, units
from mcp_server.toolsets.panels._exports.workbook_question import COLUMNS, Columns, reply_rows, write_question
from mcp_server.toolsets.panels._results import Section

NAME_AT_MOST = 31  # UTF-16 units of a sheet's name

SUMMARY_WIDTHS = (22, 60, 18, 18, *[14] * 6, *[24] * 30)
METHOD_WIDTHS = (30, *[20] * 5)
ANSWER_WIDTHS = (6, 34, 17, 22, 20, 14, 16, 12, 20, 13, 22, 20, 12, 20, 80, *[20] * 30)
"""Wider than on a question's own sheet, where columns also hold figures."""

_EPOCH = datetime(1980, 1, 1, tzinfo=UTC)


def workbook(report: Report) -> bytes:
    """Write the workbook. Equal reports give equal bytes: the only time in it is that of the report."""
    file = io.BytesIO()
    with Workbook(file, STYLE["options"]) as made:
        created = (moment(report.generated_at) or _EPOCH).replace(tzinfo=None)
        made.set_properties({"title": shortened(report.panel, 200), "created": created})
        book = Book(made)
        sheets = [sheet_name(number, section.asked.text) for number, section in enumerate(report.sections, 1)]
        _write_summary(Page(book, "Summary", SUMMARY_WIDTHS, last=10), report, sheets)
        columns = {**COLUMNS, **attribute_columns(report)}
        for number, (section, sheet) in enumerate(zip(report.sections, sheets, strict=True), 1):
            write_question(book, sheet, number, section, columns)
        _write_answers(Page(book, "Answers", ANSWER_WIDTHS, last=len(ANSWER_WIDTHS) - 1), report, columns)
        page = Page(book, "Method", METHOD_WIDTHS, last=len(METHOD_WIDTHS) - 1)
        page.title("Method")
        page.paragraphs(methods(report))
        page.paragraphs(caveats(report), "Read with care")
    return file.getvalue()


def sheet_name(number: int, question: str) -> str:
    """`Q1 How likely …`: unique by its number, and taken by every program that reads workbooks."""
    # A straight apostrophe quotes names in formulas, and may not stand at an end.
    words = one_line(re.sub(r"[\[\]:*?/\\]", " ", question).replace("'", "\u2019"))
    name = f"Q{number} {words}".rstrip()
    if units(name) <= NAME_AT_MOST:
        return name
    cut = name.encode("utf-16-le")[: 2 * (NAME_AT_MOST - 1)].decode("utf-16-le", "ignore")
    return f"{cut.rstrip()}…"


def _write_summary(page: Page, report: Report, sheets: Sequence[str]) -> None:
    """The panel, one line for each question, and what to beware of."""
    page.title(shortened(report.panel, Page.TITLE))
    page.paragraphs(facts(report))
    page.heading("Questions")
    if not report.sections:
        page.note("The panel has not been asked anything yet.")
        return
    # All groups that were asked anything, in the order in which they first were.
    groups = list(dict.fromkeys(phrases.name_of(g) for section in report.sections for g in section.result.groups))
    first = page.row + 1
    page.table(
        ["Sheet", "Question", "Type", "Asked (UTC)", *phrases.STANDING.values(), phrases.EVERYONE, *groups],
        [_line(section, groups) for section in report.sections],
    )
    for place, sheet in enumerate(sheets):
        page.sheet.write_url(first + place, 0, f"internal:'{sheet}'!A1", page.formats["link"], f"Q{place + 1}")
    page.note("A figure is the mean of a scale; a text is what was chosen or said most.")
    page.paragraphs(caveats(report), "Read with care")


def _line(section: Section, groups: Sequence[str]) -> list[Cell]:
    result, overall = section.result, section.result.overall
    headlines = {phrases.name_of(group): phrases.headline(group) for group in result.groups}
    return [
        None,
        shortened(result.question, Page.TITLE),
        phrases.type_of(result),
        moment(result.asked_at),
        *(getattr(overall, name) for name in phrases.STANDING),
        phrases.headline(overall),
        *(headlines.get(name) for name in groups),
    ]


def _write_answers(page: Page, report: Report, columns: Columns) -> None:
    """Every reply to every question, to be filtered and pivoted."""
    rows: list[list[Cell]] = []
    for number, section in enumerate(report.sections, 1):
        about = [f"Q{number}", shortened(section.asked.text, Page.TITLE), moment(section.asked.asked_at)]
        rows += [[*about, *row] for row in reply_rows(section, columns)]
    if rows:
        page.sheet.freeze_panes(1, 0)
        page.sheet.repeat_rows(0)
    page.filtered("Answers", ("Q", "Question", "Asked (UTC)", *columns), rows)
