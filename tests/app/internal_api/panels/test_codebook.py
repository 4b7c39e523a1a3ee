"""Labels are merged where they say the same, and only there."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.internal_api.panels.codebook import key, labels_by_key, themes

LABELS = st.lists(
    st.lists(st.sampled_from(["Price", "prices", "PRICE", "Speed", "speeding", "Not safe", "Safe", "价格", "!"]))
)


@pytest.mark.parametrize(
    ("one", "other"), [("Prices", "price"), ("“Café”", "cafe"), ("Onboarding speed", "onboarding  Speeds.")]
)
def test_case_accents_marks_and_endings_do_not_tell_labels_apart(one: str, other: str) -> None:
    assert key(one) == key(other)


@pytest.mark.parametrize(
    ("one", "other"), [("safe", "not safe"), ("价格", "质量"), ("की", "का"), ("C++", "C"), ("!", "?")]
)
def test_what_says_something_else_stays_apart(one: str, other: str) -> None:
    assert key(one) != key(other)


def test_a_theme_is_called_by_its_most_frequent_wording() -> None:
    found = themes([["Prices"], ["price", "Speed"], ["price"], ["price", "Prices"]])

    assert [(theme.label, theme.original_labels, theme.count) for theme in found] == [
        ("price", ("price", "Prices"), 4),
        ("Speed", ("Speed",), 1),
    ]


@given(LABELS)
def test_themes_are_counted_once_an_answer_and_lose_no_label(answers: list[list[str]]) -> None:
    found = themes(answers)

    assert sorted(label for theme in found for label in theme.original_labels) == sorted(
        {label for labels in answers for label in labels}
    )
    assert sum(theme.count for theme in found) == sum(len({key(label) for label in labels}) for labels in answers)
    assert [theme.count for theme in found] == sorted((theme.count for theme in found), reverse=True)


@given(LABELS)
def test_each_label_belongs_to_exactly_one_theme(answers: list[list[str]]) -> None:
    found = themes(answers)
    called = labels_by_key(found)

    assert len(called) == len(found)
    assert {called[key(label)] for labels in answers for label in labels} == {theme.label for theme in found}
