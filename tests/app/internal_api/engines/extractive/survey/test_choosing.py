"""Which point or options a persona chooses."""

from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.internal_api.engines.engine import Persona, SurveyQuestion
from app.internal_api.engines.extractive.survey.choosing import SEPARATOR, point, ranked, several, side, takes_sides
from app.internal_api.engines.extractive.survey.material import read_material
from app.internal_api.panels.values import chosen
from tests.app.internal_api.engines.extractive.survey import asked
from tests.app.internal_api.engines.people import ADA, passage


@given(asked.SCALES, st.floats(-1, 1))
def test_a_point_lies_on_its_scale(scale: tuple[int, int], leaning: float) -> None:
    assert scale[0] <= point(scale, leaning) <= scale[1]


@given(asked.SCALES)
def test_the_ends_of_a_leaning_are_the_ends_of_the_scale(scale: tuple[int, int]) -> None:
    assert (point(scale, -1), point(scale, 1)) == scale


@given(asked.SCALES, st.floats(-1, 1), st.floats(-1, 1))
def test_who_is_more_in_favour_answers_no_lower(scale: tuple[int, int], one: float, other: float) -> None:
    low, high = sorted([one, other])

    assert point(scale, low) <= point(scale, high)


@pytest.mark.parametrize(
    ("options", "language"),
    [
        (("Yes", "No"), "en"),
        (("Strongly disagree", "Disagree", "Neutral", "Agree", "Strongly agree"), "en"),
        (("Sí", "No"), "es"),
        (("Oui", "Non"), "fr"),
        (("Ja", "Nein", "Weiß nicht"), "de"),
    ],
)
def test_steps_between_no_and_yes_take_sides(options: tuple[str, ...], language: str) -> None:
    assert takes_sides(options, language)


@pytest.mark.parametrize("options", [("price", "safety"), ("monthly", "yearly"), ("Good", "Better")])
def test_things_take_no_sides(options: tuple[str, ...]) -> None:
    assert not takes_sides(options, "en")


def test_steps_are_ordered_by_what_they_say_and_not_by_how_they_are_offered() -> None:
    steps = ("Agree", "Strongly disagree", "Strongly agree", "Disagree")

    assert [side(steps, leaning, "en") for leaning in (-1, -0.4, 0.4, 1)] == [
        "Strongly disagree",
        "Disagree",
        "Agree",
        "Strongly agree",
    ]


def test_knowledge_decides_before_taste() -> None:
    question = SurveyQuestion("Which would you pick?", "categorical", options=("tea", "coffee", "water"))
    known = [passage("Coffee is excellent and I love coffee. Tea is awful.")]
    panel = [replace(ADA, id=f"mind {number}") for number in range(20)]

    first = {ranked(persona, question, read_material(persona, question, known))[0].option for persona in panel}

    assert first == {"coffee"}


def test_taste_spreads_a_panel_over_the_options() -> None:
    question = SurveyQuestion("Which would you pick?", "categorical", options=("tea", "coffee", "water"))
    panel = [replace(ADA, id=f"mind {number}") for number in range(60)]

    counts = Counter(ranked(persona, question, read_material(persona, question, []))[0].option for persona in panel)

    assert min(counts[option] for option in question.options) >= 10


@given(asked.PERSONAS, asked.OPTIONS, st.none() | st.integers(1, 4))
def test_several_stay_in_the_offered_order_and_within_the_limit(
    persona: Persona, options: tuple[str, ...], most: int | None
) -> None:
    question = SurveyQuestion("Which of these matter?", "multiselect", options=options, most=most)

    found = several(persona, question, read_material(persona, question, [passage(asked.HOSTILE)]))

    assert 1 <= len(found) <= min(most or len(options), len(options))
    assert [each.option for each in found] == [option for option in options if option in {e.option for e in found}]


def test_a_choice_that_would_be_read_as_another_option_is_narrowed() -> None:
    options = ("speed", "price", "speed; price")
    question = SurveyQuestion("Which of these matter to you?", "multiselect", options=options)
    known = [passage("Speed is essential to me. Price is essential to me.")]
    value = SEPARATOR.join(each.option for each in several(ADA, question, read_material(ADA, question, known)))

    assert SEPARATOR.join(chosen(value, options)) == value
