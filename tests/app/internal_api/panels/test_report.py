"""A report tells everything there is; in Markdown words stay words, and in CSV no cell is a formula."""

import csv
import io
import re
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.internal_api.panels.output import study_output
from app.internal_api.panels.report import (
    BYTE_ORDER_MARK,
    COLUMNS,
    FORMULA,
    Report,
    blocks,
    escaped,
    guarded,
    headline,
    one_line,
    quoted,
    write_csv,
    write_markdown,
)
from mcp_server.toolsets.panels._exports import data
from tests.app.internal_api.panels.reports import OPEN, SCALE, report
from tests.app.internal_api.panels.rows import answer, answers, question


def paragraphs(of: Report) -> str:
    return "\n".join(block.text for block in blocks(of) if block.kind == "Paragraph")


def test_questions_groups_and_the_method_have_headings_in_order() -> None:
    headings = [(block.level, block.text) for block in blocks(report()) if block.kind == "Heading"]

    assert headings == [
        (1, "Pricing"),
        (2, "1. How likely?"),
        (3, "Gen Z"),
        (3, "Parents"),
        (2, "2. Why?"),
        (3, "Gen Z"),
        (2, "Method and caveats"),
    ]


def test_failures_caveats_themes_and_small_groups_are_told() -> None:
    told = paragraphs(report(unfinished=1))

    assert (
        "Full report, made 2026-11-20 09:00 UTC. Questions: 2. Usable answers: 5. Declined: 0. Uncoded: 0. Failed: 1."
        in told
    )
    assert "Not completed: 1 of the questions" in told
    assert "Did not answer: Mind 2 (ENGINE_UNAVAILABLE)." in told
    assert "Caution: fewer than 10 answers" in told
    assert "Theme: Price (2). Said as: Price, price." in told
    assert "written by AI personas, not by people" in told
    assert "A whole number from 1 to 5." in told
    assert "Answers were written by: offline." in told


def test_the_headline_has_the_mean_unrounded_with_all_that_belongs_beside_it() -> None:
    ours, theirs = SCALE.audiences

    assert headline(ours) == "Mean 4.5 (n = 2, 1 failed). Median 4.5, standard deviation 0.71."
    assert headline(theirs) == "Mean 1 (n = 1). Median 1."
    assert headline(OPEN.audiences[0]) == "Price; Speed (n = 2)."
    assert headline(study_output(question(), answers(None)).audiences[0]) == "No usable answer (n = 0, 1 failed)."


def test_a_long_distribution_leaves_out_what_nobody_chose() -> None:
    wide = study_output(question("scale", scale_low=0, scale_high=100), answers("7", "90"))

    found = [[share.value for share in block.shares] for block in blocks(report(wide)) if block.kind == "Distribution"]

    assert found == [["7", "90"]]


def test_words_are_quoted_exactly_and_names_from_right_to_left_are_isolated() -> None:
    said = answer("5", message=" Fine,\n\nreally. ", discipline=None)
    hebrew = answer("4", position=1, message="Good.", mind_name="\u05de\u05d9\u05d4")
    both = report(study_output(question("scale"), [said, hebrew]))

    assert [(block.speaker, block.text) for block in blocks(both) if block.kind == "Quote"] == [
        ("Mind 0: 5", " Fine,\n\nreally. "),
        ("\u2068\u05de\u05d9\u05d4\u2069 (Student): 4", "Good."),
    ]


SPOKEN = [answer("Price", position=number) for number in range(5)]
GROUP = study_output(question(), [*SPOKEN, answer(None, position=5)]).audiences[0]


@pytest.mark.parametrize(
    ("kind", "length", "shown"),
    [
        ("executive_brief", "short", []),
        ("executive_brief", "standard", [0]),
        ("executive_brief", "detailed", [0, 1]),
        ("full_report", "short", [0]),
        ("full_report", "standard", [0, 1, 2]),
        ("full_report", "detailed", [0, 1, 2, 3, 4]),
        ("raw_data", "short", [0, 1, 2, 3, 4]),
    ],
)
def test_a_few_voices_are_quoted_and_raw_data_holds_all(kind: str, length: str, shown: list[int]) -> None:
    found = quoted(report(kind=kind, length=length), GROUP)

    assert [each.persona for each in found] == [f"Mind {number}" for number in shown]


def test_figures_bars_quotes_and_caveats_are_there() -> None:
    text = write_markdown(report())

    assert "# Pricing\n" in text
    assert "## 1. How likely?\n" in text
    assert "Mean 4.5 (n = 2, 1 failed). Median 4.5, standard deviation 0.71." in text
    assert "| 4 | 1 | 50% | ██████████ |" in text
    assert "| 3 | 0 | 0% |  |" in text
    assert "**Mind 1 (Student): price; Speed**\n\n> Dear, but quick." in text
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
        ["Why?", "Gen Z", "Mind 1", "Student", "price; Speed"],
    ]
    assert body[2][7:9] == ["failed", "ENGINE_UNAVAILABLE"]


@given(
    st.text(st.characters(codec="utf-8", exclude_characters="\0")),
    st.text(st.characters(codec="utf-8", exclude_characters="\0")),
)
def test_any_words_are_read_back_whole_and_no_cell_is_a_formula(name: str, message: str) -> None:
    output = study_output(question(), [answer(mind_name=name, message=message)])

    (_, row) = rows(write_csv(report(output)))

    assert row[5].replace("'", "") == message.replace("'", "")
    assert not any(FORMULA.match(cell) and not cell[1:].replace(".", "", 1).isdigit() for cell in row)


@pytest.mark.parametrize("guard", [guarded, data.guarded], ids=["api", "tools"])
def test_what_could_be_a_formula_begins_with_an_apostrophe_and_numbers_do_not(guard: Callable[[str], object]) -> None:
    signs = "=+-@\uff1d\uff0b\uff0d\uff20\ufe62\ufe63\ufe66\ufe6b"  # ASCII, full width, small
    formulas = [
        f"{before}{sign}A1" for sign in signs for before in ("", "  ", "\t", "\n", "\u3000", "\ufeff", "\u200b")
    ]
    fine = ["-3", "-0.5", "7", "", "a=b", "'=1", "Red", "a - b", "say: no; - yes", "list\n- one\n* two"]

    assert all(str(guard(text)).startswith("'") for text in (*formulas, "-", "-1e", "\r=1", "\uff0d"))
    assert [guard(text) for text in fine] == fine


@pytest.mark.parametrize("guard", [guarded, data.guarded], ids=["api", "tools"])
def test_another_separator_begins_no_formula_either(guard: Callable[[str], object]) -> None:
    assert [guard(text) for text in ("a;=1+1", "a; \uff1d1", "a\t+cmd", "a\n@A1")] == [
        "a;'=1+1", "a; '\uff1d1", "a\t'+cmd", "a\n'@A1",
    ]  # fmt: skip
