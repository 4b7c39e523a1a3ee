"""Numbers and ranges."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.internal_api.panels.understanding.numbers import BETWEEN, NUMBER, RANGE, number, pair, whole


@pytest.mark.parametrize(
    ("text", "value"), [("5", 5), ("-5", -5), ("+5", 5), ("1.5", 1.5), ("1,5", 1.5), ("zehn", 10), ("x", None)]
)
def test_a_number_is_read_in_figures_and_in_words(text: str, value: float | None) -> None:
    assert number(text) == value


@pytest.mark.parametrize(("text", "value"), [("5", 5), ("2.0", 2), ("1.5", None), ("x", None)])
def test_a_fraction_is_no_whole_number(text: str, value: int | None) -> None:
    assert whole(text) == value


@pytest.mark.parametrize(
    "text",
    [
        "1-10",
        "1 to 10",
        "1...10",
        "1 (bad) to 10 (good)",
        "1% to 10%",
        "one to ten",
        "1 bis 10",
        "1 = bad to 10",
        "10 to 1",
    ],
)
def test_a_range_has_a_lower_and_a_higher_end(text: str) -> None:
    match = re.search(RANGE, text)

    assert match is not None
    assert pair(match) == (1, 10)


@pytest.mark.parametrize("text", ["between 1 and 10", "zwischen eins und zehn", "entre 1 y 10", "entre 1 et 10"])
def test_what_lies_between_two_numbers_is_a_range(text: str) -> None:
    match = re.search(BETWEEN, text)

    assert match is not None
    assert pair(match) == (1, 10)


@pytest.mark.parametrize("text", ["$5", "a1", "24/7", "12:30", "1.2.3", "tone"])
def test_prices_times_and_parts_of_words_are_no_numbers(text: str) -> None:
    assert re.fullmatch(rf".*?({NUMBER}).*", text) is None


@given(st.integers(-99, 99), st.integers(-99, 99))
def test_any_two_numbers_make_a_range(one: int, other: int) -> None:
    match = re.search(RANGE, f"from {one} to {other}")

    assert match is not None
    assert pair(match) == (min(one, other), max(one, other))
