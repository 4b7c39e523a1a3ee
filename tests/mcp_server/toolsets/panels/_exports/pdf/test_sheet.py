"""Lines stand where they are told to, in plain text or shaped, and nothing in them is more than text."""

import io
import re

import pytest
from pypdf import PdfReader

from mcp_server.toolsets.panels._exports.pdf import look
from mcp_server.toolsets.panels._exports.pdf.faces import Fonts
from mcp_server.toolsets.panels._exports.pdf.sheet import LACKS, Sheet
from tests.mcp_server.toolsets.panels._exports.pdf.paper import ARABIC, CHARS, HEBREW, Paper, root


def read(sheet: Sheet) -> PdfReader:
    return PdfReader(io.BytesIO(bytes(sheet.output())))


def lines(sheet: Sheet) -> list[str]:
    return [line.strip() for page in read(sheet).pages for line in page.extract_text().splitlines()]


def test_a_wide_line_is_wider_than_a_narrow_one_and_grows_with_its_letters(paper: Paper) -> None:
    assert paper.wide("mm", look.BODY) > paper.wide("ii", look.BODY)
    assert paper.wide("abc", look.Style(20)) == pytest.approx(2 * paper.wide("abc", look.Style(10)))


def test_shaped_text_is_about_as_wide_as_its_letters(paper: Paper) -> None:
    assert paper.wide(f"ab {HEBREW}", look.BODY) > paper.wide(HEBREW, look.BODY) > paper.wide(HEBREW[:2], look.BODY)


@pytest.mark.parametrize("text", ["[b](http://x.example) <b>**bold**</b> __u__", "a {nb} b", "(paren\\thesis) Tj ET"])
@pytest.mark.parametrize("size", [8, 20])
def test_nothing_in_a_text_is_markup(paper: Paper, text: str, size: float) -> None:
    paper.put(20, 40, text, look.Style(size))

    assert text in lines(paper)


def test_no_address_is_a_link(paper: Paper) -> None:
    paper.put(20, 40, "https://evil.example/ www.evil.example", look.BODY)

    assert all("/Annots" not in page for page in read(paper).pages)


def test_text_to_the_right_ends_where_its_width_ends(paper: Paper) -> None:
    paper.put(20, 40, "abc", look.SMALL, 100, "R")

    start = re.search(rb"BT ([\d.]+) [\d.]+ Td", paper.content)
    assert start is not None
    assert float(start[1]) * look.POINT == pytest.approx(120 - paper.wide("abc", look.SMALL), abs=0.02)


def test_letters_are_as_large_after_shaped_text_as_before(paper: Paper) -> None:
    for text in ("abc", HEBREW, "abc", ARABIC, "abc"):
        paper.put(20, 40, text, look.SMALL)

    content = paper.content
    plain = re.split(rb"\bq\b.*?\bQ\b", content, flags=re.DOTALL)
    assert {float(size) for size in re.findall(rb"/F\d+ ([\d.]+) Tf", b"".join(plain))} == {look.SMALL.size}
    assert content.count(b" Tf") > 1


def test_every_page_has_its_number_and_that_of_the_last(paper: Paper) -> None:
    paper.add_page()
    paper.add_page()

    found = lines(paper)

    assert [line for line in found if "/" in line] == ["1 / 3", "2 / 3", "3 / 3"]


def test_the_name_stands_on_every_page_but_the_first(paper: Paper) -> None:
    paper.add_page()

    first, second = (page.extract_text() for page in read(paper).pages)

    assert "The panel" not in first
    assert "The panel" in second


def test_a_sign_for_what_is_lacking_is_explained_on_its_page_only(paper: Paper) -> None:
    paper.put(20, 40, "a ▯", look.BODY)
    paper.add_page()

    first, second = (" ".join(page.extract_text().split()) for page in read(paper).pages)

    assert LACKS in first
    assert "stands for" not in second


def test_what_is_put_is_tagged_and_what_is_on_every_page_is_not(fonts: Fonts) -> None:
    with Sheet(fonts, CHARS, "The panel") as sheet:
        sheet.add_page()
        with sheet.tagged("H1"):
            sheet.put(20, 40, "A heading", look.HEADING)
        with sheet.tagged("Figure", "A chart"):
            sheet.box(20, 60, 10, 10, look.BAR)
        with sheet.tagged(""):
            sheet.box(20, 80, 10, 10, look.BAR)
        document = read(sheet)

    found = [kid.get_object() for kid in root(document)["/StructTreeRoot"]["/K"][0].get_object()["/K"]]

    assert root(document)["/MarkInfo"]["/Marked"]
    assert [(element["/S"], element.get("/Alt")) for element in found] == [("/H1", None), ("/Figure", "A chart")]
