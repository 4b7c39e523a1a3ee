"""The phrases of the survey."""

import re
from dataclasses import asdict

import pytest

from app.internal_api.engines.extractive.survey.phrases import phrases_for
from app.internal_api.engines.sentiment import sentiment_of

LANGUAGES = ["en", "de", "es", "fr"]
MAY_HOLD = {
    "described": {"{description}"},
    "field": {"{field}"},
    "option": {"{option}"},
    "picks": {"{choice}"},
    "nearest": {"{choice}"},
    "inclined": {"{choice}"},
}


def flat(value: object) -> list[str]:
    return [value] if isinstance(value, str) else [text for part in value for text in flat(part)]  # type: ignore[attr-defined]  # a tuple of tuples


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_phrase_holds_exactly_the_places_that_are_filled(language: str) -> None:
    for name, value in asdict(phrases_for(language)).items():
        for text in flat(value):
            assert set(re.findall(r"\{.*?\}", text)) == MAY_HOLD.get(name, set()), (name, text)
            assert text.strip()


@pytest.mark.parametrize("language", LANGUAGES)
def test_there_are_five_steps_for_every_kind_of_view(language: str) -> None:
    phrases = phrases_for(language)

    assert {len(steps) for steps in (phrases.stances, phrases.burdens, phrases.weights)} == {5}


def test_no_two_languages_share_their_phrases() -> None:
    assert len({phrases_for(language).silent for language in LANGUAGES}) == len(LANGUAGES)


@pytest.mark.parametrize("language", LANGUAGES)
def test_views_go_from_bad_to_good(language: str) -> None:
    first, *_, last = phrases_for(language).stances

    assert sentiment_of(first[0], language) <= sentiment_of(last[0], language)


def test_another_language_gets_english() -> None:
    assert phrases_for("tr") == phrases_for("en")
