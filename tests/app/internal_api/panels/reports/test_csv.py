"""Every answer is a row that a spreadsheet reads back as it was, and runs nothing of."""

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.internal_api.panels.output import study_output
from app.internal_api.panels.reports.csv import BYTE_ORDER_MARK, COLUMNS, FORMULA, guarded, write_csv
from tests.app.internal_api.panels.reports.reports import report
from tests.app.internal_api.panels.rows import answer, question


def rows(text: str) -> list[list[str]]:
    return list(csv.reader(io.StringIO(text.removeprefix(BYTE_ORDER_MARK), newline="")))


def test_every_answer_and_every_failure_is_a_row() -> None:
    head, *body = rows(write_csv(report()))

    assert tuple(head) == COLUMNS
    assert [row[:5] for row in body] == [
        ["How likely?", "Gen Z", "Mind 0", "Student", "5"],
        ["How likely?", "Gen Z", "Mind 1", "Student", "4"],
        ["How likely?", "Gen Z", "Mind 2", "Student", ""],
        ["How likely?", "Parents", "Mind 3", "Student", "1"],
        ["Why?", "Gen Z", "Mind 0", "Student", "Price"],
        ["Why?", "Gen Z", "Mind 1", "Student", "prices; Speed"],
    ]
    assert body[2][7:9] == ["failed", "ENGINE_UNAVAILABLE"]


def test_sources_are_named_once() -> None:
    citations = [{"source": "tea.example"}, {"title": "Tea"}, {"source": "tea.example"}, {}]

    (_, row) = rows(write_csv(report(study_output(question(), [answer(citations=citations)]))))

    assert row[COLUMNS.index("Sources")] == "tea.example; Tea"


@pytest.mark.parametrize("cell", ["=1+1", "+cmd", "-2+3", "@SUM(A1)", "\t=1", "\r=1", "-", "\n=1", "-1e"])
def test_what_could_be_a_formula_begins_with_an_apostrophe(cell: str) -> None:
    assert guarded(cell) == f"'{cell}"


@pytest.mark.parametrize("cell", ["-3", "+4", "-0.5", "7", "", "a=b", "'=1", "Red"])
def test_numbers_and_plain_words_stay_as_they_are(cell: str) -> None:
    assert guarded(cell) == cell


@given(
    st.text(st.characters(codec="utf-8", exclude_characters="\0")),
    st.text(st.characters(codec="utf-8", exclude_characters="\0")),
)
def test_any_words_are_read_back_whole_and_no_cell_is_a_formula(name: str, message: str) -> None:
    output = study_output(question(), [answer(mind_name=name, message=message)])

    (_, row) = rows(write_csv(report(output)))

    assert row[5].removeprefix("'") == message.removeprefix("'")
    assert not any(cell.startswith(FORMULA) and not cell[1:].replace(".", "", 1).isdigit() for cell in row)
