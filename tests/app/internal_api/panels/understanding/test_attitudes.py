"""Questions for a degree, and the scale that is usual for them."""

import pytest

from app.internal_api.panels.understanding.attitudes import (
    asks_for_degree,
    names_agreement_steps,
    rates_in_letters,
    speaks_of_rating,
    usual_scale,
)


@pytest.mark.parametrize(
    ("sentence", "asks"),
    [
        ("how likely are you to buy?", True),
        ("overall, how satisfied are you?", True),
        ("how much do you trust us?", True),
        ("please rate the coffee", True),
        ("wie wichtig ist der preis?", True),
        ("en que medida confia?", True),
        ("a quel point est-ce clair ?", True),
        ("how often do you buy?", False),
        ("how much would you pay?", False),
        ("why is it so important?", False),
        ("what is the rate limit?", False),
    ],
)
def test_a_question_for_a_degree_is_told_from_others(sentence: str, asks: bool) -> None:
    assert asks_for_degree(sentence) is asks


@pytest.mark.parametrize(("text", "speaks"), [("give a score", True), ("bewerten sie", True), ("we grew", False)])
def test_words_of_rating_are_known(text: str, speaks: bool) -> None:
    assert speaks_of_rating(text) is speaks


@pytest.mark.parametrize(
    ("text", "names"),
    [("strongly disagree to strongly agree", True), ("from strongly agree on", False), ("i agree", False)],
)
def test_an_agreement_scale_needs_both_of_its_ends(text: str, names: bool) -> None:
    assert names_agreement_steps(text) is names


@pytest.mark.parametrize(
    ("text", "scale"),
    [
        ("how likely are you to recommend us?", (0, 10)),
        ("to what extent do you agree?", (1, 5)),
        ("how many stars?", (1, 5)),
        ("how clear is it?", (1, 10)),
    ],
)
def test_each_kind_of_degree_has_its_usual_scale(text: str, scale: tuple[int, int]) -> None:
    assert usual_scale(text) == scale


@pytest.mark.parametrize(
    ("text", "letters"),
    [
        ("rate it from a to e", True),
        ("bewerten sie uns von a bis f", True),
        ("how easy is it from a to b?", False),
        ("rate it from a to your liking", False),
    ],
)
def test_marks_in_letters_are_told_from_a_way_between_two_places(text: str, letters: bool) -> None:
    assert rates_in_letters(text) is letters
