"""A text from outside is shown as it is: it never becomes markup, and nothing is loaded."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_server.toolsets.panels._exports.escaping import inline, quoted, table
from mcp_server.toolsets.panels._exports.plain import clean, one_line
from tests.mcp_server.toolsets.panels._exports.viewing import cells, kinds, shown
from tests.mcp_server.toolsets.panels.reports import HOSTILE

MARKUP = "\\`*_{}[]()<>#+-.!|~=&;:$^'\"/ab1 \n\t"
risky = st.text(st.sampled_from(MARKUP), max_size=40) | st.text(max_size=40)
PLAIN_KINDS = {"inline", "text", "text_special", "paragraph_open", "paragraph_close"}
QUOTE_KINDS = {*PLAIN_KINDS, "blockquote_open", "blockquote_close", "softbreak", "hardbreak"}


@given(risky)
def test_any_text_is_one_paragraph_of_text_and_reads_as_it_was(text: str) -> None:
    assert kinds(inline(text)) <= PLAIN_KINDS
    assert shown(inline(text)) == one_line(text)


@given(risky)
def test_any_text_is_a_quotation_and_nothing_else(text: str) -> None:
    source = quoted(text)

    assert kinds(source) <= QUOTE_KINDS
    assert [line.strip() for line in shown(source).split("\n") if line.strip()] == [
        line.strip() for line in clean(text).split("\n") if line.strip()
    ]


@given(risky, risky)
def test_any_text_stays_in_its_cell(one: str, other: str) -> None:
    source = table(["a", "b"], [[inline(one), inline(other)]])

    assert cells(source) == [["a", "b"], [one_line(one), one_line(other)]]


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_texts_become_neither_links_nor_images_nor_html(text: str) -> None:
    found = kinds(f"{inline(text)}\n\n{quoted(text)}\n\n# {inline(text)}")

    assert not found & {"image", "link_open", "html_inline", "html_block", "code_inline", "fence", "code_block"}


@pytest.mark.parametrize(
    "text",
    ["https://e.example/p.png", "http://e.example", "HTTP://E.example", "www.e.example", "ftp://e.example", "x www.e"],
)
def test_viewers_that_link_bare_addresses_find_none(text: str) -> None:
    assert re.search(r"(https?|ftp)://|www\.", inline(text), re.IGNORECASE) is None
    assert shown(inline(text)) == text


@pytest.mark.parametrize(
    "text",
    [
        "<script src=x",
        "<!-- one",
        "<div one",
        "[one]: https://e.example",
        "# one",
        "- one",
        "+ one",
        "1. one",
        "12) one",
        "> one",
        "===",
        "---",
        "```",
        "~~~",
        "| a |",
        ":--",
        "    code",
    ],
)
def test_what_begins_a_block_is_text(text: str) -> None:
    assert kinds(inline(text)) <= PLAIN_KINDS
    assert kinds(f"above\n{quoted(text)}") <= QUOTE_KINDS


@pytest.mark.parametrize(
    "text", ["Ready by 2026.", "Well-made, no?", "50 % (about)", "a = b; c: d", "AT&T", "R & D", "«Élan» 质量"]
)
def test_ordinary_writing_is_left_as_it_is(text: str) -> None:
    assert inline(text) == text


@pytest.mark.parametrize("text", ["&copy;", "&#35;", "&#x23; one", "\\&amp;"])
def test_entities_are_shown_as_they_were_written(text: str) -> None:
    assert shown(inline(text)) == text


def test_lines_of_an_answer_stay_apart_and_paragraphs_too() -> None:
    assert quoted("one\ntwo\n\nthree\n") == "> one  \n> two\n>\n> three"


def test_columns_of_numbers_stand_on_the_right() -> None:
    assert table(["a", "b"], [["x", "1"]], numbers={1}) == "| a | b |\n| --- | ---: |\n| x | 1 |"
