"""Tables have a row for each row, and their header on every page."""

from mcp_server.toolsets.panels._exports.pdf import look
from mcp_server.toolsets.panels._exports.pdf.tables import Column, Row, table
from tests.mcp_server.toolsets.panels._exports.pdf.paper import HEBREW, Paper, drawn, flowed

COLUMNS = [Column("Name", 1, bold=True), Column("Said", 2, prose=True), Column("n", 1, "R")]


def test_columns_fill_the_page_in_their_proportions(paper: Paper) -> None:
    drawn(paper, table(paper, COLUMNS, [Row(["a", "b", "c"])]))

    left = [paper.where(text).x for text in "abc"]
    assert left[1] - left[0] == look.WIDTH / 4
    assert left[2] - left[1] == look.WIDTH / 2


def test_a_row_is_as_high_as_its_longest_cell(paper: Paper) -> None:
    _, short, long = table(paper, COLUMNS, [Row(["a", "b", "c"]), Row(["a", "many words " * 40, "c"])])

    assert long.height > 4 * short.height


def test_bold_columns_and_strong_rows_are_bold(paper: Paper) -> None:
    drawn(paper, table(paper, COLUMNS, [Row(["a", "b", "c"]), Row(["d", "e", "f"], strong=True)]))

    faces = {text: style.face for text in "abcdef" if (style := paper.where(text).style)}
    assert faces == {"a": "B", "b": "", "c": "", "d": "B", "e": "B", "f": "B"}


def test_prose_that_is_read_from_the_right_stands_there(paper: Paper) -> None:
    drawn(paper, table(paper, COLUMNS, [Row([HEBREW, HEBREW, "1"])]))

    assert [mark.align for mark in paper.marks if mark.text in {HEBREW, "1"}] == ["L", "R", "R"]


def test_the_header_is_on_every_page_and_no_row_is_lost(paper: Paper) -> None:
    flowed(paper, table(paper, COLUMNS, [Row([f"row {n}", "b", "c"]) for n in range(120)]))

    pages = {mark.page for mark in paper.marks if mark.text.startswith("row ")}
    assert len(pages) == 3
    assert [mark.page for mark in paper.marks if mark.text == "Said"] == sorted(pages)
    assert [text for text in paper.texts if text.startswith("row ")] == [f"row {n}" for n in range(120)]


def test_a_row_fits_on_a_page_whatever_is_in_it(paper: Paper) -> None:
    blocks = list(table(paper, COLUMNS, [Row(["W" * 5000] * 3)]))

    assert blocks[0].height + blocks[1].height < look.ROOM
