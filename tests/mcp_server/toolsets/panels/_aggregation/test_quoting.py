"""Quotes are exact parts of an answer: whole sentences where they fit, whole words where they do not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_server.toolsets.panels._aggregation.quoting import LONGEST, about, opening, sentences, shortened
from mcp_server.toolsets.panels._aggregation.texts import words

messages = st.text(st.sampled_from("ab .!?\n\"'-*e\u0301。👍\u200d,Z9"), max_size=700) | st.text(max_size=300)
PRICE = frozenset({"price"})


def roots_of(text: str) -> set[str]:
    return set(words(text))


@pytest.mark.parametrize(
    ("message", "found"),
    [
        ("One. Two! Three?", ["One.", "Two!", "Three?"]),
        ('He said "no." Then he left.', ['He said "no."', "Then he left."]),
        ("It costs 9.99 a month. Too much.", ["It costs 9.99 a month.", "Too much."]),
        ("I use tools, e.g. Excel, daily. Fine.", ["I use tools, e.g. Excel, daily.", "Fine."]),
        ("Dr. Falk says so. I agree.", ["Dr. Falk says so.", "I agree."]),
        ("Well... maybe. Yes.", ["Well... maybe.", "Yes."]),
        ("- First\n- Second", ["First", "Second"]),
        ("価格が高い。遅い。", ["価格が高い。", "遅い。"]),
        ("no end", ["no end"]),
        ("  ", []),
    ],
)
def test_sentences_end_where_they_end(message: str, found: list[str]) -> None:
    assert sentences(message) == found


def test_the_opening_is_as_many_whole_sentences_as_fit() -> None:
    sentence = "This sentence has exactly fifty characters in it.. "
    message = sentence * 10

    assert opening(message) == (sentence * 4).strip()
    assert opening("Short. Shorter.") == "Short. Shorter."
    assert opening("") == ""


def test_a_long_sentence_is_cut_between_words() -> None:
    cut = shortened("word " * 100)

    assert len(cut) <= LONGEST
    assert cut.endswith("word")


def test_a_cut_holds_the_place_that_matters() -> None:
    sentence = "word " * 100 + "price " + "word " * 100

    cut = shortened(sentence, sentence.index("price"))

    assert "price" in cut
    assert cut in sentence
    assert len(cut) <= LONGEST


def test_a_text_without_blanks_is_not_cut_inside_a_sign() -> None:
    cut = shortened("e\u0301" * 200)

    assert cut == "e\u0301" * (len(cut) // 2)
    assert len(cut) <= LONGEST


def test_the_sentence_about_a_theme_is_chosen() -> None:
    shared, text = about("I like it. The price is too high. Bye.", PRICE, roots_of)

    assert (shared, text) == (1, "The price is too high.")


def test_a_word_late_in_a_long_sentence_is_inside_the_quote() -> None:
    _, text = about("word " * 100 + "price " + "word " * 20, PRICE, roots_of)

    assert "price" in text


def test_without_a_sentence_about_it_the_opening_stands_for_the_answer() -> None:
    assert about("I like it.", PRICE, roots_of) == (0, "I like it.")
    assert about("", PRICE, roots_of) == (0, "")


@given(messages)
def test_every_quote_is_an_exact_part_and_not_too_long(message: str) -> None:
    for text in (opening(message), about(message, frozenset({"a", "b"}), roots_of)[1]):
        assert text in message
        assert len(text) <= LONGEST
    assert bool(opening(message)) == bool(sentences(message))
    assert all(sentence in message for sentence in sentences(message))
