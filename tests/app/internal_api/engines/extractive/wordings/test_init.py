"""The wordings of all languages."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import astuple

import pytest

from app.internal_api.engines.extractive.wordings import wording_for

LANGUAGES = ["en", "de", "fr", "es"]


def phrases(language: str) -> Iterator[str]:
    for value in astuple(wording_for(language)):
        for group in value.values() if isinstance(value, Mapping) else [value]:
            yield from [group] if isinstance(group, str) else group


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_wording_is_complete_and_states_no_figures(language: str) -> None:
    found = list(phrases(language))

    assert all(phrase.strip() for phrase in found)
    assert not any(re.search(r"\d|\[\[", phrase) for phrase in found)
    assert set(re.findall(r"{(\w*)}", " ".join(found))) == {"name", "field", "topics"}


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_wording_knows_the_three_types(language: str) -> None:
    wording = wording_for(language)

    assert wording.leads.keys() == wording.greetings.keys() == {"expert", "creative", "user"}


def test_languages_differ_and_an_unknown_one_is_english() -> None:
    assert len({wording_for(language).invite for language in LANGUAGES}) == len(LANGUAGES)
    assert wording_for("tr") is wording_for("en")
