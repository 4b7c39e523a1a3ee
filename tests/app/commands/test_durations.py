"""Durations at the command line."""

from datetime import timedelta

import click
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.commands.keys import LONGEST, Duration, parse_duration


@given(st.sampled_from([("d", 86_400), ("h", 3_600), ("m", 60)]), st.integers(0, 9_999_999))
def test_a_number_and_a_unit_are_that_long_or_too_long(unit: tuple[str, int], number: int) -> None:
    letter, seconds = unit
    expected = timedelta(seconds=number * seconds)

    if expected > LONGEST:
        with pytest.raises(ValueError):
            parse_duration(f"{number}{letter}")
    else:
        assert parse_duration(f"{number}{letter}") == expected


@given(st.text())
def test_any_text_is_a_duration_or_refused(text: str) -> None:
    try:
        parsed = parse_duration(text)
    except ValueError:
        return

    assert timedelta() <= parsed <= LONGEST


@pytest.mark.parametrize(
    "text",
    ["", "d", "90", "90D", "90 d", " 90d", "90d\n", "-1d", "+1d", "1.5h", "1d12h", "1w", "1s", "٣d", "9" * 99 + "d"],
)
def test_anything_else_is_refused(text: str) -> None:
    with pytest.raises(ValueError):
        parse_duration(text)
    with pytest.raises(click.UsageError):
        Duration().convert(text, None, None)


def test_a_default_that_is_a_duration_already_stays_as_it_is() -> None:
    assert Duration().convert(timedelta(hours=1), None, None) == timedelta(hours=1)
