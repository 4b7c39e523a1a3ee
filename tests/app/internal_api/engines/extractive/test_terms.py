"""Words made comparable."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.internal_api.engines.extractive.terms import fold, likeness, plain, stem, tokens

LANGUAGES = ["en", "de", "fr", "es", "tr"]


@pytest.mark.parametrize(
    ("language", "forms"),
    [
        ("en", ["brew", "brews", "brewing", "brewed", "brewer"]),
        ("en", ["library", "libraries", "library's"]),
        ("en", ["extract", "extracted", "extraction", "extracts"]),
        ("en", ["make", "makes", "making", "made"]),
        ("en", ["stop", "stopped", "stopping"]),
        ("en", ["safe", "safely", "safety"]),
        ("de", ["Buch", "Bücher"]),
        ("de", ["kosten", "kostet", "Kosten"]),
        ("fr", ["prix", "Prix"]),
        ("fr", ["grand", "grandes"]),
        ("es", ["libro", "libros"]),
    ],
)
def test_the_forms_of_a_word_have_one_stem(language: str, forms: list[str]) -> None:
    assert len({stem(tokens(form)[0], language) for form in forms}) == 1


@pytest.mark.parametrize(
    ("one", "other"), [("career", "car"), ("need", "knee"), ("string", "str"), ("press", "espresso")]
)
def test_different_words_keep_apart(one: str, other: str) -> None:
    assert likeness(stem(one, "en"), stem(other, "en"), "en") == 0


def test_a_german_compound_is_near_to_its_parts_and_an_english_one_only_to_its_inflections() -> None:
    assert 0 < likeness("bibliothek", "stadtbibliothek", "de") < 1
    assert likeness("brush", "toothbrush", "en") == 0
    assert 0 < likeness("temperat", "temperatur", "en") < 1


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Crème brûlée, 2,5 kg!", ["creme", "brulee", "2,5", "kg"]),
        ("9:30 a.m.", ["9:30", "a", "m"]),
        ("図書館", ["図書", "書館"]),
        ("Straße", ["strasse"]),
        ("_ - …", []),
    ],
)
def test_texts_are_split_into_words_and_numbers(text: str, expected: list[str]) -> None:
    assert tokens(text) == expected


@given(st.text(), st.sampled_from(LANGUAGES))
def test_any_text_has_stems_that_are_not_empty(text: str, language: str) -> None:
    assert all(stem(token, language) for token in tokens(text))


@given(st.text(min_size=1), st.text(min_size=1), st.sampled_from(LANGUAGES))
def test_likeness_is_a_share_and_has_no_direction(one: str, other: str, language: str) -> None:
    assert 0 <= likeness(one, other, language) <= 1
    assert likeness(one, other, language) == likeness(other, one, language)


@given(st.text())
def test_folding_twice_changes_nothing(text: str) -> None:
    assert fold(fold(text)) == fold(text)
    assert plain(plain(text)) == plain(plain(plain(text)))
