"""Texts are compared without what people leave out or add, and words keep what makes them other words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_server.toolsets.panels._aggregation.texts import bare, loose, plain, words


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


@pytest.mark.parametrize(("one", "other"), [("C", "C++"), ("C#", "C++"), ("+1", "-1"), ("<5", ">5"), ("が", "か")])
def test_signs_that_tell_things_apart_are_kept(one: str, other: str) -> None:
    assert loose(one) != loose(other)


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


@given(st.text())
def test_comparing_twice_is_comparing_once(text: str) -> None:
    assert plain(plain(text)) == plain(text)
    assert bare(bare(text)) == bare(text)
    assert loose(loose(text)) == loose(text)
