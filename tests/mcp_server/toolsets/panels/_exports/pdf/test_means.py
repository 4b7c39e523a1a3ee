"""Means stand on the whole scale, with their intervals."""

import pytest

from mcp_server.toolsets.panels._exports.pdf import look
from mcp_server.toolsets.panels._exports.pdf.means import AXIS, AXIS_LEFT, comparison
from mcp_server.toolsets.panels._results import Interval, QuestionResult, ScaleFacts
from tests.mcp_server.toolsets.panels._exports.pdf.paper import Mark, Paper, drawn
from tests.mcp_server.toolsets.panels.reports import report_of


def result_with(facts: ScaleFacts | None) -> QuestionResult:
    result = report_of(groups=1, each=3).sections[0].result
    return result.model_copy(update={"groups": [result.groups[0].model_copy(update={"scale": facts})]})


def facts(mean: float, low: float, high: float) -> ScaleFacts:
    interval = Interval(low=low, high=high, method="Student t")
    return ScaleFacts(mean=mean, median=mean, sd=1, lowest=mean, highest=mean, interval=interval)


def whiskers(paper: Paper) -> list[Mark]:
    return [mark for mark in paper.marks if mark.colour == look.BAR]


def test_the_whiskers_reach_as_far_as_the_interval(paper: Paper) -> None:
    drawn(paper, comparison(paper, result_with(facts(5.5, 3.25, 7.75))))

    line = whiskers(paper)[0]
    assert line.x == pytest.approx(AXIS_LEFT + AXIS * 0.25)
    assert line.width == pytest.approx(AXIS * 0.5)
    assert "5.50 (3.25 to 7.75)" in paper.texts


def test_an_interval_beyond_the_scale_ends_with_the_scale_but_is_told_whole(paper: Paper) -> None:
    drawn(paper, comparison(paper, result_with(facts(9.5, 8, 11))))

    line = whiskers(paper)[0]
    assert line.x + line.width == pytest.approx(AXIS_LEFT + AXIS)
    assert "9.50 (8.00 to 11.00)" in paper.texts


def test_the_axis_is_the_whole_scale(paper: Paper) -> None:
    drawn(paper, comparison(paper, result_with(facts(5, 4, 6))))

    assert [text for text in paper.texts if text.isdecimal()] == [str(n) for n in range(1, 11)]


def test_without_a_known_scale_the_axis_reaches_from_the_lowest_to_the_highest_answer(paper: Paper) -> None:
    unknown = result_with(facts(5, 4, 6)).model_copy(update={"scale_range": None})

    drawn(paper, comparison(paper, unknown))

    assert [text for text in paper.texts if text.isdecimal()] == ["4", "5", "6"]


def test_without_a_mean_there_is_no_chart_and_a_group_without_one_says_so(paper: Paper) -> None:
    assert list(comparison(paper, result_with(None))) == []

    result = report_of(groups=2, each=3).sections[0].result
    silent = result.groups[1].model_copy(update={"scale": None})
    drawn(paper, comparison(paper, result.model_copy(update={"groups": [result.groups[0], silent]})))
    assert "no usable answers" in paper.texts
