"""A bar of 100 % for each group, divided by options."""

from dataclasses import replace

import pytest

from mcp_server.toolsets.panels._exports.pdf import look
from mcp_server.toolsets.panels._exports.pdf.stacks import BAR, OPTIONS_AT_MOST, ROW, brightness, distribution
from mcp_server.toolsets.panels._results import QuestionResult
from tests.mcp_server.toolsets.panels._exports.pdf.paper import Paper, drawn
from tests.mcp_server.toolsets.panels.reports import KINDS, asked_question, groups_of, result_of


def chosen(*values: str, options: tuple[str, ...], groups: int = 1) -> QuestionResult:
    kind = replace(KINDS[1], options=options, value=lambda n: values[n % len(values)])
    return result_of(asked_question(kind, groups_of(groups, len(values)), 1, broken=False))


def test_segments_are_as_wide_as_their_shares_and_fill_the_bar(paper: Paper) -> None:
    drawn(paper, distribution(paper, chosen("yes", "yes", "yes", "no", options=("yes", "no", "perhaps"))))

    widths = [mark.width for colour in look.SERIES for mark in paper.filled(colour) if mark.height == ROW - 2]
    assert widths == [pytest.approx(BAR * 0.75), pytest.approx(BAR * 0.25)]


def test_letters_name_the_options_so_that_no_colour_is_needed(paper: Paper) -> None:
    drawn(paper, distribution(paper, chosen("yes", "yes", "no", options=("yes", "no"))))

    assert {"A  yes", "B  no", "A 2", "B 1"} <= set(paper.texts)


def test_short_options_stand_beside_each_other_and_long_ones_below(paper: Paper) -> None:
    drawn(paper, distribution(paper, chosen("a", options=("a", "b", "many words " * 9))))

    first, second, third = (paper.where(text) for text in ("A  a", "B  b", paper.texts[3]))
    assert third.text.startswith("C")
    assert first.y == second.y < third.y
    assert first.x < second.x


def test_labels_are_seen_on_their_colour(paper: Paper) -> None:
    options = tuple("stuvwxyz")

    drawn(paper, distribution(paper, chosen(*options, options=options)))

    labels = [mark.style for mark in paper.marks if mark.text.endswith(" 1") and mark.style]
    assert len(labels) == OPTIONS_AT_MOST
    for style, colour in zip(labels, look.SERIES, strict=True):
        assert abs(brightness(style.colour) - brightness(colour)) > 90


def test_more_options_than_can_be_told_apart_make_no_chart(paper: Paper) -> None:
    options = tuple("abcdefghi")

    assert list(distribution(paper, chosen("a", options=options))) == []
    assert list(distribution(paper, chosen("a", options=options[:8]))) != []


def test_a_group_without_answers_says_so(paper: Paper) -> None:
    result = chosen("a", options=("a", "b"), groups=2)
    silent = result.groups[1].model_copy(update={"n": 0})

    drawn(paper, distribution(paper, result.model_copy(update={"groups": [result.groups[0], silent]})))

    assert "No usable answers" in paper.texts
