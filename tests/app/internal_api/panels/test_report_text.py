"""In Markdown words stay words, and in CSV no cell is a formula."""

import csv
import io
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.internal_api.panels.output import study_output
from app.internal_api.panels.report import (
    BYTE_ORDER_MARK,
    COLUMNS,
    FORMULA,
    escaped,
    guarded,
    one_line,
    write_csv,
    write_markdown,
)
from tests.app.internal_api.panels.reports import report
from tests.app.internal_api.panels.rows import answer, question


def test_figures_bars_quotes_and_caveats_are_there() -> None:
    text = write_markdown(report())

    assert "# Pricing\n" in text
    assert "## 1. How likely?\n" in text
    assert "Mean 4.5 (n = 2, 1 failed). Median 4.5, standard deviation 0.71." in text
    assert "| 4 | 1 | 50% | ██████████ |" in text
    assert "| 3 | 0 | 0% |  |" in text
    assert "**Mind 1 (Student): prices; Speed**\n\n> Dear, but quick." in text
    assert "## Method and caveats" in text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("<script>", r"\<script\>"),
        ("a | b", r"a \| b"),
        ("# no heading", r"\# no heading"),
        ("- no item", r"\- no item"),
        ("1. no item", r"1\. no item"),
        ("fine\n12) no item", "fine\n12\\) no item"),
        ("[x](http://e.example)", r"\[x\](http://e.example)"),
        ("a - b, 3.5", "a - b, 3.5"),
    ],
)
def test_markup_is_shown_as_signs(text: str, shown: str) -> None:
    assert escaped(text) == shown


def test_a_quote_stays_inside_its_quotation_whatever_its_lines() -> None:
    said = answer("Price", message="Fine.\n\n    indented\n# loud")

    text = write_markdown(report(study_output(question(), [said])))

    assert "> Fine.\n>\n> indented\n> \\# loud\n" in text


@given(st.text())
def test_one_line_is_one_line_without_open_markup(text: str) -> None:
    line = one_line(text)

    assert "\n" not in line
    assert not re.search(r"(?<!\\)(?:\\\\)*[<>|*_`#\[\]]", line)


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


@given(
    st.text(st.characters(codec="utf-8", exclude_characters="\0")),
    st.text(st.characters(codec="utf-8", exclude_characters="\0")),
)
def test_any_words_are_read_back_whole_and_no_cell_is_a_formula(name: str, message: str) -> None:
    output = study_output(question(), [answer(mind_name=name, message=message)])

    (_, row) = rows(write_csv(report(output)))

    assert row[5].removeprefix("'") == message.removeprefix("'")
    assert not any(cell.startswith(FORMULA) and not cell[1:].replace(".", "", 1).isdigit() for cell in row)


@pytest.mark.parametrize(
    ("cells", "mark"),
    [
        (["=1+1", "+cmd", "-2+3", "@SUM(A1)", "\t=1", "\r=1", "-", "\n=1", "-1e"], "'"),
        (["-3", "+4", "-0.5", "7", "", "a=b", "'=1", "Red"], ""),
    ],
)
def test_what_could_be_a_formula_begins_with_an_apostrophe_and_numbers_do_not(cells: list[str], mark: str) -> None:
    assert [guarded(cell) for cell in cells] == [f"{mark}{cell}" for cell in cells]
