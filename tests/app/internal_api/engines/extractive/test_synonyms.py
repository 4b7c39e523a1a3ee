"""Near synonyms."""

from app.internal_api.engines.extractive.synonyms import synonyms
from app.internal_api.engines.extractive.terms import stem


def test_a_word_is_near_to_its_group_and_not_to_itself() -> None:
    near = synonyms(stem("price", "en"), "en")

    assert stem("costs", "en") in near
    assert stem("price", "en") not in near


def test_other_words_and_other_languages_have_none() -> None:
    assert synonyms("xyzzy", "en") == frozenset()
    assert synonyms(stem("price", "en"), "de") == frozenset()
