"""A question has its figures, what must be said beside them, its charts, and what was said."""

from dataclasses import replace

import pytest

from mcp_server.toolsets.panels._exports.pdf.question import HEADING_AT_MOST, NO_CHART, WHOLE, question
from tests.mcp_server.toolsets.panels._exports.pdf.paper import Paper, drawn
from tests.mcp_server.toolsets.panels.reports import KINDS, asked_question, groups_of, report_of, result_of

REPORT = report_of(groups=2, each=5)


def test_it_begins_with_the_question_and_how_many_answered(paper: Paper) -> None:
    drawn(paper, question(paper, 2, REPORT.sections[1]))

    told = " ".join(paper.texts).replace("\xa0", " ")
    assert paper.texts[0] == "2. Which channel do you prefer?"
    assert "One choice · 10 personas asked · n = 9 · 1 failed" in " ".join(told.split())


@pytest.mark.parametrize(
    ("number", "captions"),
    [
        (0, ["Distribution", "Comparison"]),
        (1, ["Distribution", "Comparison"]),
        (2, ["Distribution", "Comparison"]),
        (3, ["Themes"]),
    ],
)
def test_every_type_has_its_charts(paper: Paper, number: int, captions: list[str]) -> None:
    drawn(paper, question(paper, 1, REPORT.sections[number]))

    assert [alt.split(":")[0] for tag, alt in paper.tags if tag == "Figure" and alt] == captions


def test_caveats_and_notes_stand_right_below_the_figures(paper: Paper) -> None:
    section = REPORT.sections[0]
    noted = replace(section, asked=replace(section.asked, notes=("Answers may be missing.",)))

    drawn(paper, question(paper, 1, noted))

    note = paper.where("Answers may be missing.")
    assert note.y < min(mark.y for mark in paper.marks if mark.text.startswith("Distribution"))
    assert section.result.caveats[0].message in paper.texts


def test_a_long_question_is_whole_below_its_heading(paper: Paper) -> None:
    text = "".join(f"{n:>5}" for n in range(2000))
    asked = asked_question(replace(KINDS[3], text=text), groups_of(1, 1), 1)
    section = replace(REPORT.sections[3], asked=asked, result=result_of(asked))

    blocks = list(question(paper, 1, section))
    drawn(paper, blocks)

    heading = paper.texts[: paper.texts.index(WHOLE)]
    assert len(text) == 10_000
    assert heading[0].startswith("1. 0 1 2")
    assert len(" ".join(heading)) < HEADING_AT_MOST + 120
    assert "1999" in " ".join(paper.texts[paper.texts.index(WHOLE) :]).split()


def test_without_answers_it_says_so_and_draws_nothing(paper: Paper) -> None:
    asked = asked_question(KINDS[0], groups_of(1, 2), 1)
    failed = tuple(replace(reply, status="failed", value=None) for reply in asked.replies)
    silent = replace(asked, replies=failed)

    drawn(paper, question(paper, 1, replace(REPORT.sections[0], asked=silent, result=result_of(silent))))

    assert NO_CHART in paper.texts
    assert [tag for tag, _ in paper.tags if tag == "Figure"] == []
