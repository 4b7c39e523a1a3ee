"""Cues of choosing."""

import pytest

from app.internal_api.panels.understanding.choices import asks_to_choose, at_most, is_open, takes_several


@pytest.mark.parametrize(
    ("text", "most"),
    [
        ("pick up to 3", 3),
        ("choose at most two options", 2),
        ("select your top 5", 5),
        ("which three of these", 3),
        ("(max. 4)", 4),
        ("wahlen sie bis zu drei", 3),
        ("elija hasta dos", 2),
        ("choisissez jusqu'a 2", 2),
        ("pick one", 1),
        ("pick two or three", 3),
        ("would you pay up to 3 dollars", None),
        ("pick a number from 1 to 10", None),
        ("pick 0", None),
    ],
)
def test_how_many_may_be_chosen_is_read(text: str, most: int | None) -> None:
    assert at_most(text) == most


@pytest.mark.parametrize(
    ("text", "several"),
    [
        ("select all that apply", True),
        ("choose any", True),
        ("pick 3", True),
        ("mehrfachauswahl moglich", True),
        ("seleccione todas las que apliquen", True),
        ("plusieurs reponses possibles", True),
        ("which of these have you used", True),
        ("pick one", False),
        ("which do you prefer", False),
        ("is it all that bad", False),
    ],
)
def test_several_choices_are_told_from_one(text: str, several: bool) -> None:
    assert takes_several(text) is several


@pytest.mark.parametrize(
    ("text", "chooses"), [("which is best", True), ("choose one", True), ("ordnen sie", True), ("why so", False)]
)
def test_a_choice_is_noticed(text: str, chooses: bool) -> None:
    assert asks_to_choose(text) is chooses


@pytest.mark.parametrize(
    ("sentence", "opens"),
    [
        ("why do you prefer a or b?", True),
        ("what should we improve?", True),
        ("what should we improve first: a or b?", False),
        ("was wurden sie zuerst andern", False),
        ("warum kaufen sie lieber tee?", True),
        ("warum kaufen sie?", True),
        ("what is your favourite?", False),
        ("how do you commute?", False),
    ],
)
def test_a_question_for_thoughts_is_open(sentence: str, opens: bool) -> None:
    assert is_open(sentence) is opens


@pytest.mark.parametrize(
    ("text", "several"),
    [
        ("which of these do you use?", True),
        ("which of these do you use most days?", True),
        ("which of these do you use most?", False),
        ("which of these do you own: tea, ale or both?", False),
        ("keine mehrfachauswahl", False),
        ("kreuzen sie alles an, was zutrifft", True),
    ],
)
def test_what_is_used_may_be_several_but_not_what_is_used_most(text: str, several: bool) -> None:
    assert takes_several(text) is several
