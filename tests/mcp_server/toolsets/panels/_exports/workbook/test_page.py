"""Cells hold what they are given, as text, and never more than a cell can hold."""

import io
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from xlsxwriter.workbook import Workbook

from mcp_server.toolsets.panels._exports.workbook.names import units
from mcp_server.toolsets.panels._exports.workbook.page import (
    HIGHEST,
    LONGEST,
    MOST_LINES,
    Line,
    Page,
    Share,
    columns_of,
    fitting,
    lines_of,
)
from mcp_server.toolsets.panels._exports.workbook.styles import styles_of
from tests.mcp_server.toolsets.panels._exports.workbook.reading import opened, rows_of


def written(*rows: list[Any]) -> Any:
    """A sheet with a table of these rows."""
    file = io.BytesIO()
    with Workbook(file, {"in_memory": True}) as book:
        Page(book.add_worksheet("Sheet"), styles_of(book), (20, 20, 20), last=2).table(["Head"], rows)
    return opened(file.getvalue())["Sheet"]


@pytest.mark.parametrize(
    "text",
    [
        "=1+1",
        "{=1+1}",
        "+1",
        "https://example.org",
        "mailto:a@b.c",
        "007",
        "<r><t>bold</t></r>",
        "_x0041_",
        "internal:X!A1",
    ],
)
def test_text_stays_text_whatever_it_looks_like(text: str) -> None:
    cell = written([text])["A2"]

    assert cell.value.rstrip() == text
    assert cell.data_type == "s"
    assert cell.hyperlink is None


def test_each_kind_of_cell_is_what_it_is() -> None:
    sheet = written([1, 1.25, Share(0.5)], [Line("p-1"), datetime(2026, 11, 20, 9, 30, tzinfo=UTC), None])

    assert rows_of(sheet)[1:] == [[1, 1.25, 0.5], ["p-1", datetime(2026, 11, 20, 9, 30), None]]  # noqa: DTZ001 - as Excel
    assert sheet["C2"].number_format == "0 %"


def test_what_stands_above_numbers_stands_on_the_right() -> None:
    assert written([None], [1])["A1"].alignment.horizontal == "right"
    assert written([None], ["a"])["A1"].alignment.horizontal is None


@given(st.text(st.characters(codec=None), max_size=80))
def test_any_text_can_be_read_back(text: str) -> None:
    assert (written([text])["A2"].value or "") == fitting(text)


@pytest.mark.parametrize("text", ["a" * 40_000, "🎉" * 20_000, "a" + "🎉" * 20_000])
def test_a_text_that_no_cell_holds_is_cut_and_says_so(text: str) -> None:
    cell = fitting(text)

    assert units(cell) <= LONGEST
    assert cell.endswith(f"… [cut: {len(text)} characters in all]")
    assert text.startswith(cell.partition("… [cut")[0])


def test_a_text_that_just_fits_is_whole() -> None:
    assert fitting("a" * LONGEST) == "a" * LONGEST


@pytest.mark.parametrize(
    ("text", "lines"), [("", 1), ("short", 1), ("a\nb\nc", 3), ("x" * 100, 6), ("x" * 9_999, MOST_LINES)]
)
def test_rows_are_as_high_as_their_text(text: str, lines: int) -> None:
    assert lines_of(text, 20) == lines


def test_wide_letters_take_two_columns() -> None:
    assert columns_of("价格") == 4
    assert columns_of("prix élevé") == 10


def test_no_row_is_higher_than_excel_allows() -> None:
    file = io.BytesIO()
    with Workbook(file, {"in_memory": True}) as book:
        Page(book.add_worksheet("Sheet"), styles_of(book), (20, 20, 20), last=2).title("long " * 2_000)

    assert opened(file.getvalue())["Sheet"].row_dimensions[1].height == HIGHEST
