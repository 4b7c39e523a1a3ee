"""What stands around the figures is what the report holds, and no more."""

from dataclasses import replace

from mcp_server.toolsets.panels._exports.methods import PARTIAL, caveats, facts, methods
from tests.mcp_server.toolsets.panels.reports import KINDS, empty_report, report_of

REPORT = report_of()


def test_the_head_tells_when_how_many_and_by_what() -> None:
    told = dict(facts(REPORT))

    assert told["Made"] == "2026-11-21 14:45 UTC"
    assert told["Questions asked"] == "4"
    assert told["Personas"] == "12"
    assert "Early adopters (4)" in told["Groups today"]
    assert told["Answers written by"] == "offline"


def test_only_the_methods_that_were_used_are_told() -> None:
    everything = dict(methods(REPORT))
    choice = dict(methods(report_of(groups=1, kinds=KINDS[1:2])))

    assert {"Scale questions", "One choice", "Several choices", "Open questions"} <= set(everything)
    assert "Differences between groups" in everything
    assert "Welch t" in everything["95 % intervals"]
    assert "Scale questions" not in choice
    assert "Differences between groups" not in choice
    assert "Student t" not in choice["95 % intervals"]


def test_nothing_is_said_about_sentiment_or_intervals_that_nobody_told() -> None:
    told = dict(methods(empty_report()))

    assert "Sentiment" not in told
    assert "95 % intervals" not in told
    assert "Who was asked" in told


def test_a_caveat_is_said_once_with_its_questions() -> None:
    first, second, *others = REPORT.sections
    without = replace(second, result=second.result.model_copy(update={"caveats": second.result.caveats[:1]}))
    said = caveats(replace(REPORT, sections=(first, without, *others)))

    assert said[0] == ("All questions", first.result.caveats[0].message)
    assert said[1] == ("Q1, Q3, Q4", first.result.caveats[1].message)
    assert len(said) == 2


def test_an_unfinished_report_says_so_first() -> None:
    assert caveats(replace(REPORT, partial=True))[0] == ("The whole report", PARTIAL)
