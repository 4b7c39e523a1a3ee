"""Scales in the wording, and the check of any scale."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.internal_api.panels.understanding.reading import read
from app.internal_api.panels.understanding.scales import checked_scale, stated_scale
from app.internal_api.panels.understanding.words import MakesNoSense


@given(st.integers(-1_000, 1_000), st.integers(1, 100))
def test_every_scale_with_few_enough_points_is_taken(low: int, width: int) -> None:
    high = min(low + width, 1_000)

    if low < high:
        assert checked_scale(low, high) == (low, high)


@pytest.mark.parametrize(
    ("low", "high"), [(1, 1), (2, 1), (0, 101), (0.5, 5), (1, float("nan")), (1, float("inf")), (10**9, 10**9 + 5)]
)
def test_a_scale_that_makes_no_sense_is_refused(low: float, high: float) -> None:
    with pytest.raises(MakesNoSense) as refused:
        checked_scale(low, high)

    assert refused.value.code == "INVALID_SCALE"


@given(st.integers(-50, 50), st.integers(-50, 50), st.sampled_from(["from {} to {}", "of {}-{}", "between {} and {}"]))
def test_a_scale_that_is_called_one_is_read_in_either_direction(one: int, other: int, wording: str) -> None:
    low, high = sorted((one, other))

    if low < high and not (other < 0 and "-{}" in wording):
        assert stated_scale(read(f"On a scale {wording.format(one, other)}, how is it?")) == (low, high)


@pytest.mark.parametrize(
    ("text", "scale"),
    [
        ("Rate it out of 100.", (0, 100)),
        ("On an 11-point scale, rate it.", (0, 10)),
        ("En una escala de 7 puntos", (1, 7)),
        ("Rate it (1 = bad, 2 = fair, 3 = good).", (1, 3)),
        ("Nine out of ten dentists rate it.", None),
        ("We scale from 1 to 10 servers.", None),
        ("Rate the years from 2019 to 2024.", None),
        ("It takes 1 to 5 minutes to rate.", None),
        ("Pages 1-10", None),
        ("Rate the 5/10/2024 release", None),
    ],
)
def test_only_what_is_meant_as_a_scale_is_one(text: str, scale: tuple[int, int] | None) -> None:
    assert stated_scale(read(text)) == scale
