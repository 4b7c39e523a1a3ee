"""Texts are compared without what people leave out or add, and words keep what makes them other words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_server.toolsets.panels._aggregation.texts import LONGEST_QUOTE, bare, loose, opening, sentences, words

MESSAGES = st.text(st.sampled_from("ab .!?\n\"'-*e\u0301。👍\u200d,Z9"), max_size=700) | st.text(max_size=300)


@pytest.mark.parametrize(
    ("text", "inside"),
    [
        ("  Price. ", "Price"),
        ("**Price**", "Price"),
        ("“Price”", "Price"),
        ("»Preis«", "Preis"),
        ("- Price", "Price"),
        ("(Price)", "Price"),
        ('["Price"', "Price"),
        ("Price (a month)", "Price (a month)"),
        ("two\n lines", "two lines"),
        ("C++", "C++"),
        ("-1", "-1"),
        ("…", "…"),
        ("", ""),
    ],
)
def test_ornament_around_a_text_is_taken_off(text: str, inside: str) -> None:
    assert bare(text) == inside


@pytest.mark.parametrize(
    ("one", "other"), [("CAFÉ", "cafe"), ("Straße", "strasse"), ("it\u2019s", "it's"), ("1\u20132", "1-2")]
)
def test_spellings_of_one_thing_are_alike(one: str, other: str) -> None:
    assert loose(one) == loose(other)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("On-boarding, e-mail", ["onboarding", "email"]),
        ("The customer's price", ["the", "customer", "price"]),
        ("don\u2019t", ["dont"]),
        ("L'accueil d'été", ["accueil", "ete"]),
        ("Tier 2", ["tier", "2"]),
        ("कुमार की", ["कुमार", "की"]),
        ("!?", []),
    ],
)
def test_words_are_cut_where_they_end(text: str, found: list[str]) -> None:
    assert words(text) == found


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


@given(MESSAGES)
def test_every_quote_is_an_exact_part_and_not_too_long(message: str) -> None:
    assert opening(message) in message
    assert len(opening(message)) <= LONGEST_QUOTE
    assert bool(opening(message)) == bool(sentences(message))
    assert all(sentence in message for sentence in sentences(message))
