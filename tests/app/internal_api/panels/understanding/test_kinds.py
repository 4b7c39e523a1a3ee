"""Kinds of words."""

import pytest

from app.internal_api.panels.understanding.kinds import (
    ADVERB,
    DEGREE,
    IN,
    NUMBER,
    THE,
    WORD,
    kind_of,
    opens_deed,
    opens_tail,
)


@pytest.mark.parametrize(
    ("word", "kind"),
    [
        ("the", THE),
        ("l'eau", THE),
        ("in", IN),
        ("too", DEGREE),
        ("$5", NUMBER),
        ("daily", ADVERB),
        ("directly", ADVERB),
        ("family", WORD),
        ("tea", WORD),
    ],
)
def test_a_word_is_of_the_kind_that_it_begins(word: str, kind: str) -> None:
    assert kind_of(word) == kind


@pytest.mark.parametrize(
    ("words", "deed"),
    [
        ("buy tea", True),
        ("to buy", True),
        ("grab a tea", True),
        ("settle in", True),
        ("tea", False),
        ("the tea", False),
    ],
)
def test_a_deed_is_told_by_its_verb_or_by_the_word_behind_it(words: str, deed: bool) -> None:
    assert opens_deed(words.split()) is deed


@pytest.mark.parametrize(
    ("words", "deed", "tail"),
    [
        ("for you", False, True),
        ("for you", True, False),
        ("most nights", True, True),
        ("than before", False, True),
        ("than $5", False, False),
        ("ale", False, False),
    ],
)
def test_what_is_said_of_all_alternatives_begins_with_its_own_words(words: str, deed: bool, tail: bool) -> None:
    assert opens_tail(words.split(), deed=deed) is tail
