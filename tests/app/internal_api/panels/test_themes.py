"""Labels are merged where they say the same, counted, and shown with a quote."""

import pytest

from app.internal_api.panels.output import study_output
from app.internal_api.panels.values import LONGEST_QUOTE, distinct_minds, key, quote
from tests.app.internal_api.panels.rows import answer, both_groups, question


def test_a_theme_says_how_many_name_it_in_which_group_and_in_whose_words() -> None:
    output = study_output(question(), both_groups(["Prices; Speed"], ["price", "price"]))

    assert [(theme.label, theme.count, theme.by_audience) for theme in output.themes] == [
        ("price", 3, {"Gen Z": 1, "Parents": 2}),
        ("Speed", 1, {"Gen Z": 1}),
    ]
    assert {theme.quote for theme in output.themes} == {"It costs too much."}


def test_who_is_in_two_groups_is_one_voice_and_is_shown_in_both() -> None:
    twice = [answer("Price"), answer("Price", position=1, group="Parents", mind_id=answer("Price").mind_id)]

    output = study_output(question(), twice)

    assert [(each.label, each.count) for each in output.category_codebook] == [("Price", 1)]
    assert [(theme.count, theme.by_audience) for theme in output.themes] == [(1, {"Gen Z": 1, "Parents": 1})]
    assert distinct_minds(twice) == twice[:1]


@pytest.mark.parametrize(
    ("message", "quoted"),
    [
        (" It costs too much. ", "It costs too much."),
        (f"Too dear. {'a' * 400}", "Too dear."),
        (f"Why? {'tea ' * 100}", "Why?"),
        (f"{'tea ' * 100}", ("tea " * 75).strip()),
        ("a" * 400, "a" * LONGEST_QUOTE),
    ],
)
def test_a_long_answer_is_quoted_from_its_beginning(message: str, quoted: str) -> None:
    assert quote(message) == quoted


@pytest.mark.parametrize(
    ("label", "other", "same"),
    [
        ("Prices", "price", True),
        ("“Café”", "cafe", True),
        ("Onboarding speed", "onboarding  Speeds.", True),
        ("safe", "not safe", False),
        ("价格", "质量", False),
        ("की", "का", False),
        ("C++", "C", False),
        ("!", "?", False),
    ],
)
def test_case_accents_marks_and_endings_do_not_tell_labels_apart_and_words_do(
    label: str, other: str, same: bool
) -> None:
    assert (key(label) == key(other)) is same
