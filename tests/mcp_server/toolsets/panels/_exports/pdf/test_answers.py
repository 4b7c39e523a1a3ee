"""Everybody's answer is in the appendix."""

from dataclasses import replace

from mcp_server.toolsets.panels._exports.pdf.answers import CUT, WHOLE, answers
from tests.mcp_server.toolsets.panels._exports.pdf.paper import Paper, drawn
from tests.mcp_server.toolsets.panels.reports import KINDS, LONG, empty_report, report_of, report_with


def test_everybody_is_there_with_group_answer_and_message(paper: Paper) -> None:
    report = report_of(groups=2, each=10, kinds=KINDS[:1], texts=["Quick."])

    drawn(paper, answers(paper, report))

    told = " ".join(paper.texts)
    for reply in report.sections[0].asked.replies:
        assert reply.persona in told
    assert paper.texts.count("Quick.") == 18
    assert [told.count(status) for status in ("Failed: engine_error", "Too slow")] == [1, 1]
    assert WHOLE in told


def test_a_long_message_is_cut_and_the_appendix_says_where_it_is_whole(paper: Paper) -> None:
    drawn(paper, answers(paper, report_with([LONG], kinds=KINDS[3:])))

    told = " ".join(paper.texts)
    assert CUT in told
    assert 500 < len(told.partition("Ten thousand")[2]) < 600
    assert told.endswith("…")


def test_blank_lines_are_left_out(paper: Paper) -> None:
    drawn(paper, answers(paper, report_with(["One.\n\n\nTwo."], kinds=KINDS[3:])))

    assert paper.texts[-2:] == ["One.", "Two."]


def test_one_who_is_still_answering_is_there_too(paper: Paper) -> None:
    report = report_of(groups=1, each=1, kinds=KINDS[3:])
    section = report.sections[0]
    waiting = replace(section.asked.replies[0], status="pending", value=None, message="")

    drawn(
        paper,
        answers(paper, replace(report, sections=(replace(section, asked=replace(section.asked, replies=(waiting,))),))),
    )

    assert "Still answering" in paper.texts


def test_without_a_question_there_is_no_appendix(paper: Paper) -> None:
    assert list(answers(paper, empty_report())) == []
