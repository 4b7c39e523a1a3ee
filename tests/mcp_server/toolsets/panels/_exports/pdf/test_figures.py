"""The table of figures has everyone and every group."""

import pytest

from mcp_server.toolsets.panels._exports.pdf.figures import figures
from mcp_server.toolsets.panels._exports.phrases import NONE
from mcp_server.toolsets.panels._results import QuestionResult
from tests.mcp_server.toolsets.panels._exports.pdf.paper import Paper, drawn
from tests.mcp_server.toolsets.panels.reports import report_of

REPORT = report_of(groups=2, each=3, broken=False)
SCALE, CHOICE, SEVERAL, OPEN = (section.result for section in REPORT.sections)


def rows(paper: Paper, result: QuestionResult) -> list[list[str]]:
    """The cells of each row, by their height on the page."""
    drawn(paper, figures(paper, result))
    tops = sorted({mark.y for mark in paper.marks if mark.text})
    return [[mark.text for mark in paper.marks if mark.text and mark.y == top] for top in tops]


def test_a_scale_has_its_whole_arithmetic(paper: Paper) -> None:
    head, everyone, first, *_ = rows(paper, SCALE)

    assert head == ["Group", "n", "Failed", "Unclear", "Mean", "Median", "SD", "95 % interval", "Range"]
    assert everyone[:7] == ["Everyone", "6", "0", "0", "5.67", "6.00", "3.33"]
    assert first[:6] == ["Early adopters", "3", "0", "0", "4.67", "5.00"]
    assert everyone[8] == "1 to 10"


@pytest.mark.parametrize("result", [CHOICE, SEVERAL])
def test_a_choice_has_its_foremost_option_with_share_and_interval(paper: Paper, result: QuestionResult) -> None:
    _, everyone, *_ = rows(paper, result)

    count = max(result.overall.counts, key=lambda count: count.count)
    assert everyone[4].split(" / ")[0] == count.value
    assert everyone[5] == f"{count.share * 100:.0f} %"
    assert " to " in everyone[6]


def test_an_open_question_has_its_foremost_theme(paper: Paper) -> None:
    _, everyone, *_ = rows(paper, OPEN)

    assert everyone[4:6] == ["Délai de livraison / Quick onboarding", "33 %"]


def test_level_options_are_named_together(paper: Paper) -> None:
    counts = [count.model_copy(update={"count": 2, "share": 0.4}) for count in CHOICE.overall.counts]
    level = CHOICE.model_copy(update={"overall": CHOICE.overall.model_copy(update={"counts": counts})})

    _, everyone, *_ = rows(paper, level)

    assert everyone[4].startswith(" / ".join(count.value for count in counts[:2]))
    assert everyone[5] == "40 %"


def test_where_nobody_answered_there_are_dashes(paper: Paper) -> None:
    nothing = {"n": 0, "value": None, "scale": None, "sentiment": None}
    for result in (SCALE, CHOICE, OPEN):
        silent = result.model_copy(update={"overall": result.overall.model_copy(update=nothing), "groups": []})
        drawn(paper, figures(paper, silent))

    assert paper.texts.count(NONE) == 5 + 3 + 3
