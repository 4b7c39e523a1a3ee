"""A point of a scale is read from many ways of writing it, and never guessed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.internal_api.engines.chat.points import point

TEN, AROUND_ZERO = (1, 10), (-5, 5)


@pytest.mark.parametrize(
    ("raw", "number"),
    [
        ("7", 7),
        ("**7**", 7),
        ("[7]", 7),
        ("7.0", 7),
        ("7,0", 7),
        ("7/10", 7),
        ("7 / 10", 7),
        ("8 von 10", 8),
        ("10/10", 10),
        ("- 7", 7),
        ("I would say 7", 7),
        ("7 (quite likely)", 7),
        ("7 (on a scale of 1 to 10)", 7),
        ("7 on a scale from 1-10", 7),
        ("7 because 3 of my friends like it", 7),
        ("7, because in 2019 it was better", 7),
        ("7. In 2019 it was better.", 7),
        ("7/10 - it was a 3 last year", 7),
        ("seven", 7),
        ("**Sieben.**", 7),
    ],
)
def test_a_number_is_read_however_it_is_written(raw: str, number: int) -> None:
    assert point(raw, TEN, alone=False) == number


@pytest.mark.parametrize(
    "raw",
    [
        "",
        "many",
        "0",
        "11",
        "eleven",
        "zero",
        "7.5",
        "7,5",
        "7-8",
        "7\u20138",
        "7 - 8",
        "7, 8",
        "7; 8",
        "6 or 7",
        "7 to 8",
        "7 (or 8)",
        "7 (maybe 8)",
        "7. Or an 8.",
        "between 7 and 8",
        "4/5",
        "1-10",
        "1 to 10",
        "because 3 of us like it, 7",
    ],
)
def test_two_numbers_and_those_beside_the_scale_are_no_answer(raw: str) -> None:
    assert point(raw, TEN, alone=False) is None


@pytest.mark.parametrize("raw", ["-3", "\u22123", "\u20133", "**-3**", "-3 (it got worse since 2019)"])
def test_a_number_below_zero_keeps_its_sign(raw: str) -> None:
    assert point(raw, AROUND_ZERO, alone=False) == -3
    assert point(raw, (1, 5), alone=False) is None


@pytest.mark.parametrize(("raw", "number"), [("7/10", 7), ("**7**.", 7), ("I came 7 years ago.", None)])
def test_a_number_in_a_sentence_is_none_where_it_has_to_stand_alone(raw: str, number: int | None) -> None:
    assert point(raw, TEN, alone=True) == number


@given(st.text(max_size=60), st.integers(-20, 20), st.integers(1, 40), st.booleans())
def test_whatever_is_read_is_on_the_scale(raw: str, low: int, width: int, alone: bool) -> None:
    found = point(raw, (low, low + width), alone=alone)

    assert found is None or low <= found <= low + width


@given(st.integers(-100, 100), st.integers(-100, 100), st.sampled_from(["-", " or ", ", ", "; ", " (or ", " to "]))
def test_two_numbers_are_never_one(first: int, second: int, between: str) -> None:
    scale = (-101, 101)

    assert point(f"{first}{between}{second}", scale, alone=False) in ({None} | ({first} if first == second else set()))
