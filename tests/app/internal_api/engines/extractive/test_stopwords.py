"""The guess of a language."""

import pytest

from app.internal_api.engines.extractive.stopwords import guess_language
from app.internal_api.engines.extractive.terms import tokens


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("How long does it take?", "en"),
        ("Was kostet die Mitgliedschaft?", "de"),
        ("Combien coûte la carte ?", "fr"),
        ("¿Cuánto cuesta la tarjeta?", "es"),
    ],
)
def test_a_question_shows_its_language(text: str, language: str) -> None:
    assert guess_language(tokens(text)) == language


@pytest.mark.parametrize("otherwise", ["en", "fr"])
def test_words_without_a_language_leave_it_as_it_was(otherwise: str) -> None:
    assert guess_language(["espresso", "42"], otherwise) == otherwise
    assert guess_language([], otherwise) == otherwise
