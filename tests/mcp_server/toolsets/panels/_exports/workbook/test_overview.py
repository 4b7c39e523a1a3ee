"""The summary, the table of all answers, and the method."""

from dataclasses import replace

from mcp_server.toolsets.panels._exports.workbook.book import workbook
from tests.mcp_server.toolsets.panels._exports.workbook.reading import below, opened, rows_of
from tests.mcp_server.toolsets.panels.reports import big_report, empty_report, report_of

REPORT = report_of()
BOOK = opened(workbook(REPORT))


def test_the_summary_tells_the_panel_and_one_line_for_each_question() -> None:
    sheet = BOOK["Summary"]
    head, *lines = below(sheet, "Questions")

    assert sheet["A1"].value == REPORT.panel
    assert head[8:] == [group.name for group in REPORT.groups]
    assert [line[0] for line in lines[:4]] == ["Q1", "Q2", "Q3", "Q4"]
    for line, section in zip(lines, REPORT.sections, strict=False):
        assert line[1] == section.result.question
        assert line[4:7] == [section.result.overall.members, section.result.overall.n, section.result.overall.failed]


def test_a_line_leads_to_its_sheet() -> None:
    links = [cell.hyperlink.location for cell in BOOK["Summary"]["A"] if cell.hyperlink]

    assert links == [f"'{name}'!A1" for name in BOOK.sheetnames[1:5]]


def test_a_question_to_some_groups_leaves_the_others_blank() -> None:
    first, *others = REPORT.sections
    some = replace(first, result=first.result.model_copy(update={"groups": first.result.groups[:1]}))

    line = below(opened(workbook(replace(REPORT, sections=(some, *others))))["Summary"], "Questions")[1]

    assert len(line) == 9
    assert line[8] is not None


def test_all_answers_stand_in_one_table_with_a_frozen_head() -> None:
    sheet = opened(workbook(big_report()))["Answers"]

    rows = rows_of(sheet)
    assert len(rows) == 801
    assert sheet.freeze_panes == "A2"
    assert list(sheet.tables) == ["Answers"]
    assert {row[0] for row in rows[1:]} == {"Q1", "Q2", "Q3", "Q4"}


def test_the_method_tells_how_and_what_to_beware_of() -> None:
    rows = rows_of(BOOK["Method"])

    assert rows[0][0] == "Method"
    assert "95 % intervals" in [row[0] for row in rows]
    assert [row[1] for row in below(BOOK["Method"], "Read with care")] == [
        caveat.message for caveat in REPORT.sections[0].result.caveats
    ]


def test_a_panel_that_was_asked_nothing_has_a_workbook_that_says_so() -> None:
    book = opened(workbook(empty_report()))

    assert book.sheetnames == ["Summary", "Answers", "Method"]
    assert below(book["Summary"], "Questions") == [["The panel has not been asked anything yet."]]
    assert book["Answers"]["A1"].value == "There are no answers yet."
