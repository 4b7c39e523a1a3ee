"""The sheets beside those of the questions: the summary, all answers in one table, and the method."""

from collections.abc import Sequence

from mcp_server.toolsets.panels._exports import phrases
from mcp_server.toolsets.panels._exports.methods import caveats, facts, methods
from mcp_server.toolsets.panels._exports.plain import moment, shortened
from mcp_server.toolsets.panels._exports.workbook.page import Cell, Page
from mcp_server.toolsets.panels._exports.workbook.replies import COLUMNS, reply_cells, write_table
from mcp_server.toolsets.panels._report import Report, Section

SUMMARY_WIDTHS = (22, 60, 18, 18, *[14] * 3, *[24] * 30)
SUMMARY_LAST = 7
METHOD_WIDTHS = (30, *[20] * 5)
METHOD_LAST = 5
ANSWER_COLUMNS = ("Q", "Question", "Asked (UTC)", *COLUMNS)
ANSWER_WIDTHS = (6, 34, 17, 22, 20, 14, 16, 12, 20, 13, 22, 20, 12, 80)
"""Wider than on a question's own sheet, where columns also hold figures."""


def write_summary(page: Page, report: Report, sheets: Sequence[str]) -> None:
    """The panel, one line for each question, and what to beware of."""
    page.title(shortened(report.panel, Page.TITLE))
    for label, text in facts(report):
        page.paragraph(label, text)
    page.heading("Questions")
    if not report.sections:
        page.note("The panel has not been asked anything yet.")
        return
    groups = _groups(report)
    first = page.row + 1
    page.table(
        ["Sheet", "Question", "Type", "Asked (UTC)", "Asked", "Usable (n)", "Failed", phrases.EVERYONE, *groups],
        [_line(section, groups) for section in report.sections],
    )
    for place, sheet in enumerate(sheets):
        page.sheet.write_url(first + place, 0, f"internal:'{sheet}'!A1", page.styles.link, f"Q{place + 1}")
    page.note("A figure is the mean of a scale; a text is what was chosen or said most.")
    page.heading("Read with care")
    for where, text in caveats(report):
        page.paragraph(where, text)


def _groups(report: Report) -> list[str]:
    """All groups that were asked anything, in the order in which they first were."""
    return list(dict.fromkeys(phrases.name_of(g) for section in report.sections for g in section.result.groups))


def _line(section: Section, groups: Sequence[str]) -> list[Cell]:
    result, overall = section.result, section.result.overall
    told = {phrases.name_of(group): phrases.headline(group) for group in result.groups}
    return [
        None,
        shortened(result.question, Page.TITLE),
        phrases.type_of(result),
        moment(result.asked_at),
        overall.members,
        overall.n,
        overall.failed,
        phrases.headline(overall),
        *(told.get(name) for name in groups),
    ]


def write_answers(page: Page, report: Report) -> None:
    """Every reply to every question, to be filtered and pivoted."""
    rows = [
        [
            f"Q{number}",
            shortened(section.asked.text, Page.TITLE),
            moment(section.asked.asked_at),
            *reply_cells(section, reply),
        ]
        for number, section in enumerate(report.sections, 1)
        for reply in phrases.ordered(section.asked)
    ]
    if not rows:
        page.note("There are no answers yet.")
        return
    page.sheet.freeze_panes(1, 0)
    page.sheet.repeat_rows(0)
    write_table(page, "Answers", ANSWER_COLUMNS, rows)


def write_method(page: Page, report: Report) -> None:
    """How the figures were made, and what to beware of."""
    page.title("Method")
    for heading, text in methods(report):
        page.paragraph(heading, text)
    page.heading("Read with care")
    for where, text in caveats(report):
        page.paragraph(where, text)
