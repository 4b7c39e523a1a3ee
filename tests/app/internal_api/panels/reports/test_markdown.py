"""In Markdown, words stay words: nothing that was written by others is markup."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.internal_api.panels.output import study_output
from app.internal_api.panels.reports.markdown import bar, escaped, one_line, write_markdown
from tests.app.internal_api.panels.reports.reports import report
from tests.app.internal_api.panels.rows import answer, answers, question


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


def test_an_option_with_a_line_end_stays_in_its_row() -> None:
    options = ["a|b\nc", "d"]

    text = write_markdown(report(study_output(question("categorical", options=options), answers("d"))))

    assert "| a\\|b c | 0 | 0% |  |" in text


@given(st.floats(0, 1))
def test_a_bar_is_as_long_as_its_share_and_seen_when_there_is_one(share: float) -> None:
    assert abs(len(bar(share)) - 20 * share) <= 1
    assert bool(bar(share)) == (share > 0)


@given(st.text())
def test_one_line_is_one_line_without_open_markup(text: str) -> None:
    line = one_line(text)

    assert "\n" not in line
    assert not re.search(r"(?<!\\)(?:\\\\)*[<>|*_`#\[\]]", line)
