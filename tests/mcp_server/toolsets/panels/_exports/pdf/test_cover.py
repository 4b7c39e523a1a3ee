"""The first page says which panel this is and of whom it is made."""

from dataclasses import replace

from mcp_server.toolsets.panels._exports.methods import PARTIAL
from mcp_server.toolsets.panels._exports.pdf.cover import cover
from tests.mcp_server.toolsets.panels._exports.pdf.paper import Paper, drawn
from tests.mcp_server.toolsets.panels.reports import empty_report, report_of

REPORT = report_of(groups=2, each=5)


def told(paper: Paper) -> str:
    return " ".join(" ".join(paper.texts).split())


def test_it_names_the_panel_and_counts_what_is_in_it(paper: Paper) -> None:
    drawn(paper, cover(paper, REPORT))

    assert REPORT.panel in paper.texts
    assert "4 questions · 2 groups · 10 AI personas asked · 36 usable answers" in told(paper)
    assert "2026-11-21 14:45 UTC · engine: offline" in told(paper)


def test_it_lists_the_groups_with_their_sizes(paper: Paper) -> None:
    drawn(paper, cover(paper, REPORT))

    for group in REPORT.groups:
        assert f"{group.name} 5 " in told(paper)


def test_a_group_that_was_asked_and_is_gone_is_listed_too(paper: Paper) -> None:
    drawn(paper, cover(paper, replace(REPORT, groups=REPORT.groups[:1])))

    assert f"{REPORT.groups[1].name} no longer in the panel" in told(paper)


def test_a_report_of_a_running_question_says_so_at_once(paper: Paper) -> None:
    drawn(paper, cover(paper, replace(REPORT, partial=True)))

    assert PARTIAL in told(paper)


def test_a_whole_one_does_not(paper: Paper) -> None:
    drawn(paper, cover(paper, REPORT))

    assert PARTIAL not in told(paper)


def test_a_panel_without_groups_has_no_table(paper: Paper) -> None:
    assert len(list(cover(paper, replace(empty_report(), groups=())))) == 1
