"""What an answer counts for, and themes: one for each thing that is said, with who says it."""

import pytest

from app.internal_api.panels.output import study_output
from app.internal_api.panels.values import LONGEST_QUOTE, counted, distinct_minds, key, number, quote
from tests.app.internal_api.panels.rows import answer, both_groups, question


@pytest.mark.parametrize(
    ("kind", "value", "found"),
    [
        ("scale", "4", ("4",)),
        ("scale", " 04 ", ("4",)),
        ("scale", "6", None),
        ("scale", "4.5", None),
        ("scale", "1_0", None),
        ("scale", "\u0664", None),
        ("scale", "9" * 400, None),
        ("categorical", "Red", ("Red",)),
        ("categorical", "red", None),
        ("multiselect", "Blue; Red; Purple", ("Red", "Blue")),
        ("multiselect", "None", ()),
        ("multiselect", "", None),
        ("multiselect", "Purple", None),
        ("scale", None, None),
        ("qualitative", "Price;  too   slow ;; Price", ("Price", "too slow")),
        ("qualitative", " ; ", ()),
        ("qualitative", "", ()),
    ],
)
def test_a_value_counts_for_what_the_question_offers(
    kind: str, value: str | None, found: tuple[str, ...] | None
) -> None:
    assert counted(question(kind), answer(value)) == found


@pytest.mark.parametrize(
    ("value", "shown"),
    [(7.4, "7.4"), (7.0, "7"), (10.0, "10"), (1 / 3, "0.33"), (-0.001, "0"), (100, "100"), (-2.5, "-2.5")],
)
def test_a_number_has_two_decimals_at_most_and_none_that_say_nothing(value: float, shown: str) -> None:
    assert number(value) == shown


def test_a_scale_shows_all_its_points() -> None:
    output = study_output(question("scale", scale_low=0, scale_high=100), both_groups(["7"], []))

    assert [share.value for share in output.audiences[0].distribution] == [str(point) for point in range(101)]


def test_a_theme_says_how_many_name_it_in_which_group_and_in_whose_words() -> None:
    output = study_output(question(), both_groups(["Price; Speed"], ["price", "price"]))

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
    assert distinct_minds([(each, {}) for each in twice]) == [(twice[0], {})]


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
        ("Price", "price", True),
        ("Prices", "price", False),
        ("“Café”", "cafe", True),
        ("Onboarding speed", "onboarding  Speed.", True),
        ("safe", "not safe", False),
        ("价格", "质量", False),
        ("की", "का", False),
        ("C++", "C", False),
        ("!", "?", False),
    ],
)
def test_case_accents_and_marks_do_not_tell_labels_apart_and_words_do(label: str, other: str, same: bool) -> None:
    assert (key(label) == key(other)) is same
