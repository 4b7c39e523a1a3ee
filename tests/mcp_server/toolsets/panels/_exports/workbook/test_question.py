"""A question's sheet: figures by group, a chart of them, what was said, and every reply."""

from dataclasses import replace

import pytest

from mcp_server.toolsets.panels._exports.workbook.book import workbook
from mcp_server.toolsets.panels._report import Report
from tests.mcp_server.toolsets.panels._exports.workbook.reading import below, opened, parts, rows_of
from tests.mcp_server.toolsets.panels.reports import KINDS, Kind, big_report, report_of

REPORT = report_of()
CONTENT = workbook(REPORT)
BOOK = opened(CONTENT)
SCALE, CHOICE, SEVERAL, OPEN = (BOOK[name] for name in BOOK.sheetnames[1:5])


def only(report: Report, **changes: object) -> Report:
    """The first question alone, with a changed result."""
    section = report.sections[0]
    return replace(report, sections=(replace(section, result=section.result.model_copy(update=changes)),))


def chart_xml(report: Report) -> str:
    return parts(workbook(report))["xl/charts/chart1.xml"]


def test_the_figures_are_those_of_the_result_and_numbers() -> None:
    result = REPORT.sections[0].result
    answered, figures = below(SCALE, "Who answered"), below(SCALE, "Figures")

    assert [row[0] for row in figures] == ["Group", "Everyone", *(group.group for group in result.groups)]
    assert answered[1][1:6] == [result.overall.members, result.overall.n, result.overall.failed, 0, 0]
    for row, summary in zip(figures[1:], [result.overall, *result.groups], strict=True):
        assert summary.scale is not None
        assert row[1] == summary.n
        assert row[2] == pytest.approx(summary.scale.mean)
        assert row[5:7] == pytest.approx([summary.scale.median, summary.scale.sd])


def test_the_whole_distribution_is_there_for_each_group() -> None:
    result = REPORT.sections[1].result
    rows = below(CHOICE, "Number of answers")

    assert [row[0] for row in rows] == result.options
    for place, summary in enumerate([result.overall, *result.groups], 1):
        assert [row[place] for row in rows] == [count.count for count in summary.counts]


def test_shares_are_numbers_shown_as_percentages() -> None:
    result = REPORT.sections[2].result
    rows = below(SEVERAL, "Share of usable answers")

    assert [row[1] for row in rows] == pytest.approx([count.share for count in result.overall.counts])
    head = next(cell for cell in SEVERAL["A"] if cell.value == "Share of usable answers")
    assert SEVERAL.cell(head.row + 1, 2).number_format == "0 %"


def test_themes_have_counts_by_group_and_a_quote() -> None:
    themes = REPORT.sections[3].result.themes
    head = next(cell.row for cell in OPEN["A"] if cell.value == "Theme")
    rows = [list(row) for row in OPEN.iter_rows(min_row=head + 1, max_row=head + len(themes), values_only=True)]

    assert [row[:2] for row in rows] == [[theme.label, theme.count] for theme in themes]
    assert [row[3:6] for row in rows] == [[one.count for one in theme.by_group] for theme in themes]
    said = below(OPEN, "Themes in their own words")
    assert all(theme.quote and theme.quote.text in row[1] for theme, row in zip(themes, said, strict=True))


def test_differences_dissent_quotes_and_caveats_are_there() -> None:
    result = REPORT.sections[0].result

    assert [row[:3] for row in below(SCALE, "Differences between groups: first minus second")[1:]] == [
        [one.first, one.second, one.measure] for one in result.differences
    ]
    assert [row[0] for row in below(SCALE, "Who sees it otherwise")] == [
        f"{one.persona} ({one.group})" for one in result.dissent
    ]
    assert [row[0] for row in below(SCALE, "Read with care")] == [one.message for one in result.caveats]
    assert below(SCALE, "Agreement") == [[result.agreements[0]]]


def test_a_difference_of_shares_is_a_percentage_and_one_of_means_is_not() -> None:
    mean = REPORT.sections[0].result.differences[0]
    share = mean.model_copy(update={"measure": "Email", "difference": 0.25, "interval": None})
    sheet = opened(workbook(only(REPORT, differences=[mean, share]))).worksheets[1]
    head = next(cell.row for cell in sheet["A"] if cell.value == "First")

    assert sheet.cell(head + 1, 4).number_format == "0.00_)"
    assert sheet.cell(head + 2, 4).number_format == "0 %"
    assert [sheet.cell(head + 2, column).value for column in (4, 5, 6)] == [0.25, None, None]


def test_all_replies_are_a_real_table_with_a_filter() -> None:
    sheet = opened(workbook(big_report())).worksheets[1]

    (table,) = sheet.tables.values()
    first, last = (int("".join(filter(str.isdigit, cell))) for cell in table.ref.split(":"))
    assert last - first == 200
    assert table.autoFilter is not None
    assert [column.name for column in table.tableColumns][-1] == "Full response"
    assert sheet.freeze_panes == "A3"


def test_the_chart_draws_each_group_from_the_cells_of_the_table() -> None:
    chart = chart_xml(only(REPORT))

    assert chart.count("<c:ser>") == 3
    assert '<c:barDir val="col"/>' in chart
    head = next(cell.row for cell in SCALE["A"] if cell.value == "Share of usable answers")
    assert f"$C${head + 1}:$C${head + 10}</c:f>" in chart
    assert f"$A${head + 1}:$A${head + 10}</c:f>" in chart


def test_every_question_has_one_chart() -> None:
    assert [len(sheet._charts) for sheet in BOOK.worksheets] == [0, 1, 1, 1, 1, 0, 0]


def test_a_chart_without_groups_is_of_everyone() -> None:
    assert chart_xml(only(REPORT, groups=[])).count("<c:ser>") == 1


def test_a_scale_of_a_hundred_points_is_drawn_for_everyone() -> None:
    long = Kind("scale", "From 0 to 100?", lambda n: str(n % 101), scale=(0, 100))

    assert chart_xml(report_of(kinds=[long])).count("<c:ser>") == 1


def test_a_question_without_any_usable_answer_has_its_sheet() -> None:
    section = REPORT.sections[0]
    asked = replace(section.asked, replies=())
    empty = section.result.overall.model_copy(update={"n": 0, "scale": None, "value": None, "counts": []})
    report = only(REPORT, overall=empty, groups=[], themes=[], differences=[])

    sheet = opened(workbook(replace(report, sections=(replace(report.sections[0], asked=asked),)))).worksheets[1]

    assert below(sheet, "All answers") == [["There are no answers yet."]]
    assert sheet._charts == []
    assert sheet.tables == {}


def test_a_question_of_ten_thousand_characters_leaves_room_for_the_rest() -> None:
    long = "Why do you think that? " * 450
    sheet = opened(workbook(report_of(kinds=[replace(KINDS[0], text=long)]))).worksheets[1]

    assert len(sheet["A1"].value) < 260
    assert sheet["A3"].value == long


def test_open_questions_have_no_distribution_table_and_others_no_themes() -> None:
    assert "Distribution" not in [row[0] for row in rows_of(OPEN)]
    assert "Themes" not in [row[0] for row in rows_of(CHOICE)]
