"""Every question's sheet has a name that Excel takes."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_server.toolsets.panels._exports.workbook.names import sheet_name, units


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


def test_equal_questions_have_different_sheets() -> None:
    assert sheet_name(1, "Why?") != sheet_name(2, "why?")
