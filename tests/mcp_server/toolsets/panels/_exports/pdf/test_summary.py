"""The summary has a headline for each question and a line for each group."""

import pytest

from mcp_server.toolsets.panels._exports.pdf import look
from mcp_server.toolsets.panels._exports.pdf.summary import BAR, NO_QUESTIONS, summary
from mcp_server.toolsets.panels._exports.pdf.words import headline
from tests.mcp_server.toolsets.panels._exports.pdf.paper import Paper, drawn
from tests.mcp_server.toolsets.panels.reports import KINDS, empty_report, report_of

REPORT = report_of(groups=2, each=5)


def test_every_question_has_its_headline_and_every_group_its_own(paper: Paper) -> None:
    drawn(paper, summary(paper, REPORT))

    for section in REPORT.sections:
        for row in (section.result.overall, *section.result.groups):
            assert headline(row) in paper.texts
    assert [paper.texts.count(name) for name in ("Everyone", REPORT.groups[0].name)] == [4, 4]
    assert paper.texts.count("Early adopters are quicker to say yes than the others.") == 4


def test_questions_are_numbered_and_say_what_failed(paper: Paper) -> None:
    drawn(paper, summary(paper, REPORT))

    assert [text for text in paper.texts if text in {"1.", "2.", "3.", "4."}] == ["1.", "2.", "3.", "4."]
    assert "One\xa0choice  · 9\xa0usable\xa0answers  · 1\xa0failed" in paper.texts


def test_bars_show_the_mean_on_its_scale_and_the_share_of_an_option(paper: Paper) -> None:
    report = report_of(groups=1, each=3, kinds=KINDS[:2], broken=False)

    drawn(paper, summary(paper, report))

    scale, choice = paper.filled(look.BAR)
    assert scale.width == pytest.approx(BAR * (14 / 3 - 1) / 9)
    assert choice.width == pytest.approx(BAR * 2 / 3)


def test_a_panel_that_was_asked_nothing_says_so(paper: Paper) -> None:
    drawn(paper, summary(paper, empty_report()))

    assert NO_QUESTIONS in paper.texts
