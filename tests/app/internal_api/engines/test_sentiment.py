"""Speaking for and against."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.internal_api.engines.sentiment import sentiment_of


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("I love it, it is useful and easy.", "en"),
        ("Not bad at all.", "en"),
        ("No problem.", "en"),
        ("Ich finde es sehr gut und nützlich.", "de"),
        ("Kein Problem.", "de"),
        ("Me gusta, es muy útil.", "es"),
        ("J'aime ce produit, il est très utile.", "fr"),
        ("One can trust the bright lights.", "en"),
        ("It solves a problem.", "en"),
        ("Yes", None),
    ],
)
def test_praise_is_above_zero(text: str, language: str | None) -> None:
    assert sentiment_of(text, language) > 0


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("It is a mistake, expensive and unreliable.", "en"),
        ("It is not good.", "en"),
        ("I don't like it.", "en"),
        ("I could not find one.", "en"),
        ("I can't open it.", "en"),
        ("It could be better.", "en"),
        ("Die App funktioniert nicht.", "de"),
        ("Das gefällt mir nicht.", "de"),
        ("Zu teuer und kompliziert.", "de"),
        ("No me gusta, es caro.", "es"),
        ("Je n'aime pas ce produit.", "fr"),
        ("No", None),
    ],
)
def test_blame_is_below_zero(text: str, language: str | None) -> None:
    assert sentiment_of(text, language) < 0


@pytest.mark.parametrize("text", ["", "The shop is on Mill Street.", "Good but expensive.", "Der Bus hält dort."])
def test_what_takes_no_side_is_zero(text: str) -> None:
    assert sentiment_of(text) == 0


def test_what_one_can_do_takes_no_side_unless_it_is_denied() -> None:
    assert sentiment_of("I find the station and open the lock.", "en") == 0


def test_the_name_of_what_is_spoken_of_takes_no_side() -> None:
    assert sentiment_of("Safety matters.", "en", besides=frozenset({"saf"})) == 0
    assert sentiment_of("Safety is excellent.", "en", besides=frozenset({"saf"})) > 0


def test_degrees_count() -> None:
    steps = ["Strongly disagree", "Disagree", "Agree", "Strongly agree"]

    assert [sentiment_of(step, "en") for step in steps] == sorted(sentiment_of(step, "en") for step in steps)
    assert len({sentiment_of(step, "en") for step in steps}) == 4


def test_a_negation_ends_with_its_clause() -> None:
    assert sentiment_of("I did not go, good coffee though.", "en") > 0


@given(st.text(max_size=300), st.sampled_from([None, "en", "de", "es", "fr", "xx"]))
def test_any_text_lies_between_the_ends_and_is_measured_alike_each_time(text: str, language: str | None) -> None:
    assert -1 <= sentiment_of(text, language) <= 1
    assert sentiment_of(text, language) == sentiment_of(text, language)
