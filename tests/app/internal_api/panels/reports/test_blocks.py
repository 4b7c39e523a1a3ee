"""A report tells every group's figures, its failures and its caveats."""

from app.internal_api.panels.output import study_output
from app.internal_api.panels.reports.blocks import (
    Bars,
    Heading,
    Paragraph,
    Quote,
    attributed,
    blocks,
    headline,
    isolated,
    overview,
)
from app.internal_api.panels.reports.report import Report
from tests.app.internal_api.panels.reports.reports import OPEN, SCALE, report
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


def test_the_overview_counts_questions_answers_and_failures() -> None:
    assert overview(report()) == ("Full report, made 2026-11-20 09:00 UTC. Questions: 2. Usable answers: 5. Failed: 1.")


def test_failures_caveats_themes_and_small_groups_are_told() -> None:
    told = paragraphs(report(unfinished=1))

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

    found = [[share.value for share in block.shares] for block in blocks(report(wide)) if isinstance(block, Bars)]

    assert found == [["7", "90"]]


def test_options_are_told_with_the_question() -> None:
    either = study_output(question("categorical"), answers("Red"))
    several = study_output(question("multiselect"), answers("Red"))

    told = paragraphs(report(either, several))

    assert "One of: Red, Green, Blue." in told
    assert "Any of: Red, Green, Blue." in told


def test_words_are_quoted_exactly_and_attributed() -> None:
    said = answer("5", message=" Fine,\n\nreally. ", discipline=None)

    quotes = [block for block in blocks(report(study_output(question("scale"), [said]))) if isinstance(block, Quote)]

    assert quotes == [Quote("Mind 0: 5", " Fine,\n\nreally. ")]


def test_names_that_run_from_right_to_left_keep_what_stands_beside_them_in_place() -> None:
    (group,) = study_output(question(), [answer("Price", mind_name="\u05de\u05d9\u05d4")]).audiences

    assert attributed(group.answers[0]) == "\u2068\u05de\u05d9\u05d4\u2069 (Student): Price"
    assert isolated("Mia") == "Mia"


def test_words_without_a_theme_are_quoted_and_have_nothing_to_draw() -> None:
    unlabelled = study_output(question(), answers(""))
    told = list(blocks(report().model_copy(update={"questions": [unlabelled]})))

    assert headline(unlabelled.audiences[0]) == "No theme named (n = 1)."
    assert not [block for block in told if isinstance(block, Bars)]
    assert [block.text for block in told if isinstance(block, Quote)] == ["It costs too much."]
