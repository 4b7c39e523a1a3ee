"""How a persona is inclined."""

from dataclasses import replace
from statistics import mean

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.internal_api.engines.engine import Persona
from app.internal_api.engines.extractive.survey.disposition import draw, leaning, temper
from tests.app.internal_api.engines.extractive.survey import asked
from tests.app.internal_api.engines.people import ADA

PANEL = [replace(ADA, id=f"mind {number}") for number in range(200)]


@given(asked.PERSONAS, st.text(), st.floats(-1, 1), st.booleans())
def test_a_leaning_lies_between_the_ends_and_stays_the_same(
    persona: Persona,
    subject: str,
    valence: float,
    known: bool,
) -> None:
    told = leaning(persona, subject, valence, known=known)

    assert -1 <= told <= 1
    assert told == leaning(persona, subject, valence, known=known)


def test_draws_spread_evenly_and_differ_by_matter() -> None:
    drawn = [draw(persona, "matter") for persona in PANEL]

    assert all(0 <= each < 1 for each in drawn)
    assert mean(drawn) == pytest.approx(0.5, abs=0.1)
    assert draw(ADA, "matter") != draw(ADA, "another")


def test_without_knowledge_a_panel_spreads_over_the_whole_range() -> None:
    told = [leaning(persona, "matter", 0.0, known=False) for persona in PANEL]

    assert min(told) < -0.7
    assert max(told) > 0.7


def test_knowledge_decides_on_which_side_a_persona_is() -> None:
    assert all(leaning(persona, "matter", 0.4, known=True) > 0 for persona in PANEL)
    assert all(leaning(persona, "matter", -0.4, known=True) < 0 for persona in PANEL)


def test_knowledge_that_takes_no_side_leaves_it_near_the_middle() -> None:
    assert all(abs(leaning(persona, "matter", 0.0, known=True)) < 0.3 for persona in PANEL)


def test_a_grumpy_persona_sees_things_more_darkly() -> None:
    grumpy = replace(ADA, description="A sceptical and frustrated commuter")
    cheerful = replace(ADA, description="A happy and enthusiastic commuter")

    assert temper(grumpy) < 0 < temper(cheerful)
    assert leaning(grumpy, "matter", 0.0, known=False) < leaning(cheerful, "matter", 0.0, known=False)


def test_the_description_that_the_interface_makes_up_says_nothing() -> None:
    assert temper(replace(ADA, description="Created via API")) == 0
