"""Running text cut into sentences."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.internal_api.engines.extractive.sentences import LONGEST, shorten, split_sentences
from app.internal_api.engines.extractive.terms import fold


@pytest.mark.parametrize(
    "sentences",
    [
        ["It is hot.", "Is it?", "Yes!"],
        ["Dr. Smith met Mr. Jones at 9 a.m. in St. Ives.", "They left."],
        ["Use beans, e.g. Arabica, at 9.5 bar.", "Then wait."],
        ["“It is hot.”", "He left."],
        ["J. R. Smith wrote it.", "It sold."],
        ["Der Kurs beginnt am 3. Oktober.", "Er dauert z. B. zwei Tage."],
        ["¿Es caro?", "¡No!", "Es gratis."],
        ["今日は暑い。", "水を飲む。"],
        ["no capital here. so it is one"],
    ],
)
def test_sentences_end_where_a_reader_ends_them(sentences: list[str]) -> None:
    joined = " ".join(sentences)

    found = split_sentences(joined)

    assert found == sentences


@given(st.text())
def test_nothing_is_lost_and_nothing_is_added(text: str) -> None:
    folded = fold(text)

    found = split_sentences(folded)

    assert "".join(found).replace(" ", "") == folded.replace(" ", "")
    assert all(sentence in folded for sentence in found)


@given(st.text(min_size=0, max_size=2_000))
def test_a_long_sentence_is_cut_to_its_beginning(text: str) -> None:
    short = shorten(text)

    assert len(short) <= LONGEST
    assert text.startswith(short)


def test_the_cut_is_made_at_a_pause() -> None:
    clause = "a clause of some length, "

    assert shorten(clause * 40).endswith("length")
