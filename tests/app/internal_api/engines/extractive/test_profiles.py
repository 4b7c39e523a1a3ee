"""Profiles and system prompts without a model."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from app.internal_api.engines.engine import Profile
from app.internal_api.engines.extractive.profiles import HEADING, RULES, write_profile, write_prompt
from tests.app.internal_api.engines.people import ADA


def test_a_profile_is_made_of_what_the_owner_said() -> None:
    ada = replace(ADA, description="Roasts coffee in Turin", tags=["espresso"], keywords=["grinding", "Espresso"])

    profile = write_profile(replace(ada, context="She has judged forty competitions."))

    assert profile == Profile(
        discipline="Coffee",
        description="Roasts coffee in Turin. She has judged forty competitions.",
        traits=("grinding", "Espresso"),
    )


def test_the_prompt_says_who_what_and_by_which_rules() -> None:
    prompt = write_prompt(
        ADA, Profile("Coffee", "Roasts in Turin.", ("calm", "exact")), ["Grind size", "Cleaning"], "You whisper."
    )

    assert prompt.startswith("You are Ada Lovelace, an expert")
    assert f"{HEADING}\n- Grind size\n- Cleaning" in prompt
    assert all(part in prompt for part in ("Coffee", "Roasts in Turin.", "calm, exact", "You whisper.", RULES))


@given(st.lists(st.text(), max_size=12), st.text())
def test_any_words_make_a_bounded_profile(keywords: list[str], context: str) -> None:
    profile = write_profile(replace(ADA, keywords=keywords, context=context))

    assert profile.discipline
    assert 0 < len(profile.description) <= 601
    assert len(profile.traits) <= 8
    assert write_prompt(ADA, profile, keywords)
