"""Texts, their simple spelling and their sentences."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.internal_api.panels.understanding.reading import read


@given(st.text(max_size=200))
def test_the_three_spellings_have_one_length(text: str) -> None:
    reading = read(text)

    assert len(reading.text) == len(reading.simple) == len(reading.masked)


@given(st.text(max_size=200))
def test_sentences_follow_each_other_and_hold_all_but_blanks(text: str) -> None:
    reading = read(text)

    ends = [0, *(sentence.end for sentence in reading.sentences)]
    starts = [*(sentence.start for sentence in reading.sentences), len(reading.masked)]
    gaps = [reading.masked[end:start] for end, start in zip(ends, starts, strict=True)]
    assert not any(gap.strip() for gap in gaps)


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("One. Two? Three", ["one.", "two?", "three"]),
        ("Ask e.g. me. Or vs. him.", ["ask e.g. me.", "or vs. him."]),
        ("It costs 1.50 now. Fine", ["it costs 1.50 now.", "fine"]),
        ("One\nTwo", ["one", "two"]),
        ('Is "Go. Now." good? Yes.', ['is "xxxxxxxx" good?', "yes."]),
        ("", []),
    ],
)
def test_a_text_is_cut_into_sentences(text: str, sentences: list[str]) -> None:
    assert [sentence.text for sentence in read(text).sentences] == sentences


def test_only_sentences_with_a_question_mark_ask() -> None:
    assert [sentence.asks for sentence in read('Do. Do you (now?) Say "Why?" now.').sentences] == [False, True, False]


def test_spelling_is_simplified_and_the_text_itself_is_not() -> None:
    reading = read("  Élan \t\u2013  “Über” don\u2019t  ")

    assert reading.text == "Élan \u2013 “Über” don\u2019t"
    assert reading.simple == "elan - “uber” don't"
    assert reading.masked == "elan - “xxxx” don't"


def test_what_no_database_stores_is_left_out() -> None:
    assert read("a\x00b\ud800c\u200bd").text == "abcd"


def test_a_question_that_is_one_quotation_is_read_itself() -> None:
    assert read('"Do you like it?"').masked == "do you like it?"


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Do you like it?", "en"),
        ("Was fehlt Ihnen?", "de"),
        ("¿Bien?", "es"),
        ("Est-ce que vous aimez le café ?", "fr"),
        ("", "en"),
    ],
)
def test_the_language_is_told(text: str, language: str) -> None:
    assert read(text).language == language
