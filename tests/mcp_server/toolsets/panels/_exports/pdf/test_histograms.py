"""The distribution of a scale question: bars as high as their shares, each with its count."""

from dataclasses import replace

import pytest

from mcp_server.toolsets.panels._exports.pdf import look
from mcp_server.toolsets.panels._exports.pdf.histograms import BARS, distribution
from mcp_server.toolsets.panels._results import QuestionResult
from tests.mcp_server.toolsets.panels._exports.pdf.paper import Paper, drawn
from tests.mcp_server.toolsets.panels.reports import KINDS, asked_question, groups_of, report_of, result_of


def answered(*values: str, scale: tuple[int, int] = (1, 5), groups: int = 1) -> QuestionResult:
    """Each group gives `values`."""
    kind = replace(KINDS[0], scale=scale, value=lambda n: values[n % len(values)])
    return result_of(asked_question(kind, groups_of(groups, len(values)), 1, broken=False))


def test_bars_are_as_high_as_their_shares_and_carry_their_counts(paper: Paper) -> None:
    drawn(paper, distribution(paper, answered("1", "1", "1", "5")))

    first, last = paper.filled(look.BAR)
    assert [first.height, last.height] == pytest.approx([BARS, BARS / 3])
    assert first.y + first.height == pytest.approx(last.y + last.height)
    assert [text for text in paper.texts if text in {"3", "1", "0"}].count("0") == 3


def test_all_groups_are_on_one_axis(paper: Paper) -> None:
    kind = replace(KINDS[0], scale=(1, 2), value=lambda n: "1" if n < 4 or n % 2 else "2")
    result = result_of(asked_question(kind, groups_of(2, 4), 1, broken=False))

    drawn(paper, distribution(paper, result))

    assert sorted(round(bar.height / BARS, 2) for bar in paper.filled(look.BAR)) == [0.5, 0.5, 1]
    assert sorted(round(bar.height / BARS, 2) for bar in paper.filled(look.ACCENT)) == [0.25, 0.75]


def test_ranges_that_are_too_wide_for_their_bars_are_told_in_two_lines(paper: Paper) -> None:
    drawn(paper, distribution(paper, answered("0", "7", "100", scale=(0, 100), groups=2)))

    assert {"0\u2013", "8", "90\u2013", "98"} <= set(paper.texts)
    assert not any("…" in text for text in paper.texts)


def test_a_group_without_answers_says_so(paper: Paper) -> None:
    result = report_of(groups=2, each=2).sections[0].result
    empty = result.groups[1].model_copy(update={"n": 0})

    drawn(paper, distribution(paper, result.model_copy(update={"groups": [result.groups[0], empty]})))

    assert "No usable answers" in paper.texts


def test_many_groups_are_several_charts_that_fit_a_page(paper: Paper) -> None:
    blocks = list(distribution(paper, answered("1", "2", groups=8)))
    more = result_of(asked_question(KINDS[0], groups_of(8, 1), 1)).groups * 4
    charts = list(distribution(paper, answered("1", "2").model_copy(update={"groups": more})))

    assert len(blocks) == 1
    assert len(charts) == 3
    assert all(block.height < look.ROOM for block in charts)


def test_the_description_tells_every_count(paper: Paper) -> None:
    (block,) = distribution(paper, answered("1", "1", "5"))

    assert block.alt is not None
    assert "1: 2, 5: 1" in block.alt
