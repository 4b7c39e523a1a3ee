"""The Markdown report: everything is in it, and no text in it is anybody else's markup or loads anything."""

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_server.toolsets.panels._exports.markdown import inline, markdown, quoted, table
from mcp_server.toolsets.panels._exports.phrases import clean, one_line
from mcp_server.toolsets.panels._exports.tables import Table
from mcp_server.toolsets.panels._results import Interval, QuestionResult
from tests.mcp_server.toolsets.panels._exports.viewing import cells, kinds, shown, tokens
from tests.mcp_server.toolsets.panels.reports import HOSTILE, LONG, big_report, empty_report, report_of, report_with

REPORT = report_of()
SOURCE = markdown(REPORT).decode()


def headings(source: str, level: int) -> list[str]:
    found = tokens(source)
    return [
        "".join(child.content for child in found[place + 1].children or ())
        for place, token in enumerate(found)
        if token.type == "heading_open" and token.tag == f"h{level}"
    ]


def test_it_goes_from_the_headline_to_the_answers() -> None:
    questions = [f"Q{number}. {section.asked.text}" for number, section in enumerate(REPORT.sections, 1)]

    assert headings(SOURCE, 1) == [REPORT.panel]
    assert headings(SOURCE, 2) == ["In short", *questions, "How the figures were made", "All answers"]


def test_every_reply_is_there_with_who_and_what() -> None:
    text = shown(markdown(big_report()).decode())

    for section in big_report().sections:
        for reply in section.asked.replies:
            assert reply.persona.strip() in text
    assert text.count("Too slow") == text.count("Failed: engine_error") == 40
    assert LONG.strip() in text


def test_every_part_of_a_result_is_told() -> None:
    found = headings(SOURCE, 3)

    for heading in ["By group", "Agreement", "Disagreement", "Who sees it otherwise", "Strongest voices"]:
        assert found.count(heading) == 4
    assert found.count("Distribution") == 3
    assert (found.count("Themes"), found.count("Differences between groups")) == (1, 4)
    assert found.count("Read with care") == 5


ACTIVE = {"image", "link_open", "html_inline", "html_block", "code_inline", "fence", "code_block"}


def test_hostile_texts_anywhere_become_nothing_but_text() -> None:
    for text in HOSTILE:
        report = report_with([text], panel=text)
        section = report.sections[0]
        asked = replace(section.asked, text=text, notes=(text,), engine=text)
        source = markdown(replace(report, sections=(replace(section, asked=asked), *report.sections[1:]))).decode()

        assert not kinds(source) & ACTIVE
        assert headings(source, 1) == [" ".join(text.replace("\x07", "").replace("\x00", "").split())]


def test_a_panel_that_was_asked_nothing_says_so() -> None:
    source = markdown(empty_report()).decode()

    assert "has not been asked anything yet" in source
    assert "All answers" not in source


# --- figures ---

SCALE, CHOICE, SEVERAL, OPEN = (section.result for section in REPORT.sections)


def rows_of(result: QuestionResult) -> list[list[str]]:
    section = replace(REPORT.sections[0], result=result)
    return cells(markdown(replace(REPORT, sections=(section,))).decode())


def under(result: QuestionResult, first: str, second: str) -> list[list[str]]:
    """The rows below the head that begins with these two labels."""
    rows = rows_of(result)
    start = next(place for place, row in enumerate(rows) if row[:2] == [first, second])
    return [row for row in rows[start + 1 :] if len(row) == len(rows[start])]


def test_a_scale_has_its_mean_interval_median_and_deviation_for_each_group() -> None:
    rows = under(SCALE, "Group", "Asked")[: 1 + len(SCALE.groups)]

    for row, summary in zip(rows, [SCALE.overall, *SCALE.groups], strict=True):
        facts = summary.scale
        assert facts is not None
        assert facts.interval is not None
        counts = (summary.members, summary.n, summary.declined, summary.uncoded, summary.failed)
        assert row[1:6] == [str(count) for count in counts]
        assert row[6:] == [
            f"{facts.mean:.2f}",
            f"{facts.interval.low:.2f} to {facts.interval.high:.2f}",
            f"{facts.median:.2f}",
            f"{facts.sd:.2f}",
        ]


def test_the_distribution_is_whole_with_bars_that_grow_with_the_share() -> None:
    rows = under(SEVERAL, "Answer", "Everyone")[: len(SEVERAL.options)]

    assert [row[0] for row in rows] == SEVERAL.options
    assert [row[1] for row in rows] == [str(count.count) for count in SEVERAL.overall.counts]
    assert [len(row[4]) for row in rows] == [
        len("█" * int(count.share * 20)) + (count.share * 20 % 1 > 1 / 16) for count in SEVERAL.overall.counts
    ]


def test_differences_of_shares_are_percentage_points() -> None:
    interval = Interval(low=-0.1, high=0.6, method="Newcombe")
    share = SCALE.differences[0].model_copy(update={"measure": "Email", "difference": -0.25, "interval": interval})
    rows = under(SCALE.model_copy(update={"differences": [share]}), "First", "Second")

    assert rows[0][3:5] == ["-25 points", "-10 % to 60 %"]


# --- escaping ---

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
    source = table(Table(["a", "b"], [[one, other]]))

    assert cells(source) == [["a", "b"], [one_line(one), one_line(other)]]


@pytest.mark.parametrize(
    "text",
    ["https://e.example/p.png", "http://e.example", "HTTP://E.example", "www.e.example", "ftp://e.example", "x www.e"],
)
def test_viewers_that_link_bare_addresses_find_none(text: str) -> None:
    assert re.search(r"(https?|ftp)://|www\.", inline(text), re.IGNORECASE) is None
    assert shown(inline(text)) == text


@pytest.mark.parametrize(
    "text", ["Ready by 2026.", "Well-made, no?", "50 % (about)", "a = b; c: d", "AT&T", "R & D", "«Élan» 质量"]
)
def test_ordinary_writing_is_left_as_it_is(text: str) -> None:
    assert inline(text) == text
