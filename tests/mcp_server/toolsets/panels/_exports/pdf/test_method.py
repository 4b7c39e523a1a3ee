"""The last page tells how the figures came about."""

from dataclasses import replace

from mcp_server.toolsets.panels._exports.pdf.method import MORE, method
from mcp_server.toolsets.panels._report import Report
from mcp_server.toolsets.panels._results import Caveat
from tests.mcp_server.toolsets.panels._exports.pdf.paper import Paper, flowed
from tests.mcp_server.toolsets.panels.reports import empty_report, report_of


def told(paper: Paper, report: Report) -> str:
    return " ".join(flowed(paper, method(paper, report)).texts)


def test_it_tells_how_when_by_what_and_what_failed(paper: Paper) -> None:
    text = told(paper, report_of(groups=2, each=10))

    for words in (
        "Method and caveats",
        "synthetic and directional",
        "Membership is frozen",
        "Student t",
        "Wilson score",
        "2026-11-21 14:45 UTC",
        "2026-11-20 09:30 UTC",
        "offline",
        "8 answers failed and are in no figure (question 1: 2, question 2: 2, question 3: 2, question 4: 2)",
        "Groups with fewer than 10 answers",
    ):
        assert words in text


def test_it_is_one_page_however_much_there_is_to_say(paper: Paper) -> None:
    report = report_of(groups=2, each=2)
    section = report.sections[0]
    many = [Caveat(code="note", message=f"Caveat {n}. " + "And so on. " * 60) for n in range(60)]
    careful = replace(section, result=section.result.model_copy(update={"caveats": many}))

    text = told(paper, replace(report, sections=(careful,)))

    assert {mark.page for mark in paper.marks if mark.text and mark.text != "The panel"} <= {1, 2}
    assert text.endswith(MORE)
    assert "Caveat 1." in text


def test_when_nothing_failed_it_says_so(paper: Paper) -> None:
    assert "No answer failed." in told(paper, report_of(groups=1, each=2, broken=False))


def test_a_panel_that_was_asked_nothing_has_a_method_too(paper: Paper) -> None:
    text = told(paper, empty_report())

    assert "synthetic and directional" in text
    assert "Answers written by" not in text
