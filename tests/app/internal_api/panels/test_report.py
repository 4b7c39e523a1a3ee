"""A report says what was answered, by how many, and what it is worth."""

import pytest

from app.internal_api.panels.output import study_output
from app.internal_api.panels.report import Distribution, Heading, Paragraph, Quote, Report, blocks, headline, quoted
from tests.app.internal_api.panels.reports import OPEN, SCALE, report
from tests.app.internal_api.panels.rows import answer, answers, question


def paragraphs(of: Report) -> str:
    return "\n".join(block.text for block in blocks(of) if isinstance(block, Paragraph))


def test_questions_groups_and_the_method_have_headings_in_order() -> None:
    headings = [(block.level, block.text) for block in blocks(report()) if isinstance(block, Heading)]

    assert headings == [
        (1, "Pricing"),
        (2, "1. How likely?"),
        (3, "Gen Z"),
        (3, "Parents"),
        (2, "2. Why?"),
        (3, "Gen Z"),
        (2, "Method and caveats"),
    ]


def test_failures_caveats_themes_and_small_groups_are_told() -> None:
    told = paragraphs(report(unfinished=1))

    assert "Full report, made 2026-11-20 09:00 UTC. Questions: 2. Usable answers: 5. Failed: 1." in told
    assert "Not completed: 1 of the questions" in told
    assert "Did not answer: Mind 2 (ENGINE_UNAVAILABLE)." in told
    assert "Caution: fewer than 10 answers" in told
    assert "Theme: Price (2). Said as: Price, prices." in told
    assert "written by AI personas, not by people" in told
    assert "A whole number from 1 to 5." in told
    assert "Answers were written by: offline." in told


def test_the_headline_has_the_mean_unrounded_with_all_that_belongs_beside_it() -> None:
    ours, theirs = SCALE.audiences

    assert headline(ours) == "Mean 4.5 (n = 2, 1 failed). Median 4.5, standard deviation 0.71."
    assert headline(theirs) == "Mean 1 (n = 1). Median 1."
    assert headline(OPEN.audiences[0]) == "Price; Speed (n = 2)."
    assert headline(study_output(question(), answers(None)).audiences[0]) == "No usable answer (n = 0, 1 failed)."


def test_a_long_distribution_leaves_out_what_nobody_chose() -> None:
    wide = study_output(question("scale", scale_low=0, scale_high=100), answers("7", "90"))

    found = [
        [share.value for share in block.shares] for block in blocks(report(wide)) if isinstance(block, Distribution)
    ]

    assert found == [["7", "90"]]


def test_words_are_quoted_exactly_and_names_from_right_to_left_are_isolated() -> None:
    said = answer("5", message=" Fine,\n\nreally. ", discipline=None)
    hebrew = answer("4", position=1, message="Good.", mind_name="\u05de\u05d9\u05d4")
    both = report(study_output(question("scale"), [said, hebrew]))

    assert [block for block in blocks(both) if isinstance(block, Quote)] == [
        Quote("Mind 0: 5", " Fine,\n\nreally. "),
        Quote("\u2068\u05de\u05d9\u05d4\u2069 (Student): 4", "Good."),
    ]


SPOKEN = [answer("Price", position=number) for number in range(5)]
GROUP = study_output(question(), [*SPOKEN, answer(None, position=5)]).audiences[0]


@pytest.mark.parametrize(
    ("kind", "length", "shown"),
    [
        ("executive_brief", "short", []),
        ("executive_brief", "standard", [0]),
        ("executive_brief", "detailed", [0, 1]),
        ("full_report", "short", [0]),
        ("full_report", "standard", [0, 1, 2]),
        ("full_report", "detailed", [0, 1, 2, 3, 4]),
        ("raw_data", "short", [0, 1, 2, 3, 4]),
    ],
)
def test_a_few_voices_are_quoted_and_raw_data_holds_all(kind: str, length: str, shown: list[int]) -> None:
    found = quoted(report(kind=kind, length=length), GROUP)

    assert [each.persona for each in found] == [f"Mind {number}" for number in shown]
