"""The workbook: valid, harmless, the same for the same report, and with everything that the report holds."""

import io
import re
from dataclasses import replace
from functools import cache
from typing import Any
from xml.etree import ElementTree as ET
from zipfile import ZipFile

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openpyxl import load_workbook
from xlsxwriter.workbook import Workbook

from mcp_server.toolsets.panels._exports.tables import Report
from mcp_server.toolsets.panels._exports.workbook import sheet_name, workbook
from mcp_server.toolsets.panels._exports.workbook_page import LONGEST, Book, Page, fitting, units
from tests.mcp_server.toolsets.panels.reports import HOSTILE, KINDS, big_report, empty_report, report_of


def opened(content: bytes) -> Any:
    return load_workbook(io.BytesIO(content))


def parts(content: bytes) -> dict[str, str]:
    """The XML files inside."""
    with ZipFile(io.BytesIO(content)) as archive:
        return {name: archive.read(name).decode() for name in archive.namelist()}


def rows_of(sheet: Any) -> list[list[Any]]:
    return [list(row) for row in sheet.iter_rows(values_only=True)]


def below(sheet: Any, heading: str) -> list[list[Any]]:
    """The rows from `heading` in the first column to the next free one, without empty cells at their ends."""
    rows = rows_of(sheet)
    start = next(number for number, row in enumerate(rows) if row[0] == heading)
    found = []
    for row in rows[start + 1 :]:
        while row and row[-1] is None:
            row.pop()
        if not row:
            break
        found.append(row)
    return found


pytestmark = pytest.mark.slow
REPORT = report_of()


@cache
def book() -> Any:
    return opened(workbook(REPORT))


def sheet(place: int) -> Any:
    """The sheet of the question at this place."""
    return book()[book().sheetnames[place]]


@cache
def everything() -> bytes:
    return workbook(big_report())


def test_every_part_is_xml_and_another_program_reads_it() -> None:
    for name, text in parts(everything()).items():
        assert ET.fromstring(text) is not None, name

    sheets = opened(everything()).sheetnames
    assert (sheets[0], len(sheets)) == ("Summary", 7)


def test_nothing_in_it_is_calculated_and_nothing_leads_outside() -> None:
    files = parts(everything())
    sheets = {name: text for name, text in files.items() if name.startswith("xl/worksheets/sheet")}

    assert [name for name, text in sheets.items() if "<f>" in text or "<f " in text] == []
    assert [name for name, text in files.items() if 'TargetMode="External"' in text] == []


def test_names_of_panels_questions_options_and_groups_are_harmless_too() -> None:
    report = report_of(groups=1, each=2, panel=HOSTILE[0], kinds=[replace(KINDS[1], text=HOSTILE[0], options=HOSTILE)])
    marked = report_of(groups=1, each=2, panel="<r>", kinds=[replace(KINDS[1], text="<r><x></r>")])

    assert "<f>" not in "".join(text for name, text in parts(workbook(report)).items() if "worksheets" in name)
    assert [ET.fromstring(text).tag for text in parts(workbook(marked)).values()] != []


# --- the sheets beside those of the questions ---


def test_the_summary_tells_the_panel_and_one_line_for_each_question() -> None:
    page = book()["Summary"]
    head, *lines = below(page, "Questions")

    assert page["A1"].value == REPORT.panel
    assert head[11:] == [group.name for group in REPORT.groups]
    assert [line[0] for line in lines[:4]] == ["Q1", "Q2", "Q3", "Q4"]
    for line, section in zip(lines, REPORT.sections, strict=False):
        assert line[1] == section.result.question
        overall = section.result.overall
        assert line[4:9] == [overall.members, overall.n, overall.declined, overall.uncoded, overall.failed]
    links = [cell.hyperlink.location for cell in page["A"] if cell.hyperlink]
    assert links == [f"'{name}'!A1" for name in book().sheetnames[1:5]]


def test_all_answers_stand_in_one_table_with_a_frozen_head() -> None:
    page = opened(everything())["Answers"]

    rows = rows_of(page)
    (table,) = page.tables.values()
    assert table.autoFilter is not None
    assert len(rows) == 801
    assert page.freeze_panes == "A2"
    assert list(page.tables) == ["Answers"]
    assert {row[0] for row in rows[1:]} == {"Q1", "Q2", "Q3", "Q4"}


def test_a_panel_that_was_asked_nothing_has_a_workbook_that_says_so() -> None:
    book = opened(workbook(empty_report()))

    assert book.sheetnames == ["Summary", "Answers", "Method"]
    assert below(book["Summary"], "Questions") == [["The panel has not been asked anything yet."]]
    assert book["Answers"]["A1"].value == "There are no answers yet."


# --- a question ---


def only(report: Report, **changes: object) -> Report:
    """The first question alone, with a changed result."""
    section = report.sections[0]
    return replace(report, sections=(replace(section, result=section.result.model_copy(update=changes)),))


def chart_xml(report: Report) -> str:
    return parts(workbook(report))["xl/charts/chart1.xml"]


def test_shares_are_numbers_shown_as_percentages() -> None:
    result = REPORT.sections[2].result
    rows = below(sheet(3), "Share of usable answers")

    assert [row[1] for row in rows] == pytest.approx([count.share for count in result.overall.counts])
    head = next(cell for cell in sheet(3)["A"] if cell.value == "Share of usable answers")
    assert sheet(3).cell(head.row + 1, 2).number_format == "0 %"


def test_themes_have_counts_by_group_and_a_quote() -> None:
    themes = REPORT.sections[3].result.themes
    head = next(cell.row for cell in sheet(4)["A"] if cell.value == "Theme")
    rows = [list(row) for row in sheet(4).iter_rows(min_row=head + 1, max_row=head + len(themes), values_only=True)]

    assert [row[:2] for row in rows] == [[theme.label, theme.count] for theme in themes]
    assert [row[3:6] for row in rows] == [[one.count for one in theme.by_group] for theme in themes]
    said = below(sheet(4), "Themes in their own words")
    assert all(theme.quote and theme.quote.text in row[1] for theme, row in zip(themes, said, strict=True))


def test_differences_dissent_quotes_and_caveats_are_there() -> None:
    result = REPORT.sections[0].result

    assert [row[:3] for row in below(sheet(1), "Differences between groups: first minus second")[1:]] == [
        [one.first, one.second, one.measure] for one in result.differences
    ]
    assert [row[0] for row in below(sheet(1), "Who sees it otherwise")] == [
        f"{one.persona} ({one.group})" for one in result.dissent
    ]
    assert [row[0] for row in below(sheet(1), "Read with care")] == [one.message for one in result.caveats]
    assert below(sheet(1), "Agreement") == [[result.agreements[0]]]


def test_the_chart_draws_each_group_from_the_cells_of_the_table() -> None:
    chart = chart_xml(only(REPORT))

    assert chart.count("<c:ser>") == 3
    assert '<c:barDir val="col"/>' in chart
    head = next(cell.row for cell in sheet(1)["A"] if cell.value == "Share of usable answers")
    assert f"$C${head + 1}:$C${head + 10}</c:f>" in chart
    assert f"$A${head + 1}:$A${head + 10}</c:f>" in chart


def test_a_question_without_any_usable_answer_has_its_sheet() -> None:
    section = REPORT.sections[0]
    asked = replace(section.asked, replies=())
    empty = section.result.overall.model_copy(update={"n": 0, "scale": None, "value": None, "counts": []})
    report = only(REPORT, overall=empty, groups=[], themes=[], differences=[])

    sheet = opened(workbook(replace(report, sections=(replace(report.sections[0], asked=asked),)))).worksheets[1]

    assert below(sheet, "All answers") == [["There are no answers yet."]]
    assert sheet._charts == []
    assert sheet.tables == {}


def test_a_row_of_the_replies_has_a_cell_for_each_column() -> None:
    head, *rows = rows_of(book()["Answers"])
    replies = [dict(zip(head, row, strict=True)) for row in rows]
    answered = next(reply for reply in replies if reply["Persona id"] == "p-1")
    failed = next(reply for reply in replies if reply["Status"] == "Too slow")

    assert (answered["Persona"], answered["Answer"], answered["Status"]) == ("José Okafor", 8, "Answered")
    assert answered["Full response"].startswith("I would wait.")
    assert (failed["Error"], failed["Answer"]) == ("timeout", "")


# --- charts, names and cells ---


@given(st.integers(min_value=1, max_value=999), st.text(st.characters(codec=None), max_size=80))
def test_any_question_gives_a_name_that_excel_takes(number: int, question: str) -> None:
    name = sheet_name(number, question)

    assert 0 < units(name) <= 31
    assert re.search(r"[\[\]:*?/\\\x00-\x1f']", name) is None
    assert re.match(rf"Q{number}( |$|…)", name)


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("Why?", "Q1 Why"),
        ("a/b\\c [d]: *e*", "Q1 a b c d e"),
        ("'quoted'", "Q1 \u2019quoted\u2019"),
        ("???", "Q1"),
        ("How likely are you to recommend us?", "Q1 How likely are you to recom…"),
        ("🎉" * 40, "Q1 " + "🎉" * 13 + "…"),
    ],
)
def test_a_name_keeps_what_it_can(question: str, name: str) -> None:
    assert sheet_name(1, question) == name


def written(*rows: list[Any]) -> Any:
    """A sheet with a table of these rows."""
    file = io.BytesIO()
    with Workbook(file, {"in_memory": True}) as book:
        Page(Book(book), "Sheet", (20, 20, 20), last=2).table(["Head"], rows)
    return opened(file.getvalue())["Sheet"]


@pytest.mark.parametrize(
    "text",
    ["=1+1", "{=1+1}", "+1", "https://a.example", "mailto:a@b.c", "007", "<r><t>b</t></r>", "_x0041_", "internal:X!A1"],
)
def test_text_stays_text_whatever_it_looks_like(text: str) -> None:
    cell = written([text])["A2"]

    assert cell.value.rstrip() == text
    assert cell.data_type == "s"
    assert cell.hyperlink is None


@given(st.text(st.characters(codec=None), max_size=80))
def test_any_text_can_be_read_back(text: str) -> None:
    assert (written([text])["A2"].value or "") == fitting(text)


@pytest.mark.parametrize("text", ["a" * 40_000, "🎉" * 20_000, "a" + "🎉" * 20_000])
def test_a_text_that_no_cell_holds_is_cut_and_says_so(text: str) -> None:
    cell = fitting(text)

    assert units(cell) <= LONGEST
    assert cell.endswith(f"… [cut: {len(text)} characters in all]")
    assert text.startswith(cell.partition("… [cut")[0])
