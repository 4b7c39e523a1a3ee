"""Student's quantiles are those of the printed tables, and between them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_server.toolsets.panels._aggregation.student import (
    density,
    incomplete_beta,
    standard_error,
    t_quantile,
    welch_df,
    within,
)

# Two-sided 95 %, as printed in textbooks (three decimals).
PRINTED = {
    1: 12.706, 2: 4.303, 3: 3.182, 4: 2.776, 5: 2.571, 6: 2.447, 7: 2.365, 8: 2.306, 9: 2.262, 10: 2.228,
    11: 2.201, 12: 2.179, 13: 2.160, 14: 2.145, 15: 2.131, 16: 2.120, 17: 2.110, 18: 2.101, 19: 2.093, 20: 2.086,
    21: 2.080, 22: 2.074, 23: 2.069, 24: 2.064, 25: 2.060, 26: 2.056, 27: 2.052, 28: 2.048, 29: 2.045, 30: 2.042,
    40: 2.021, 60: 2.000, 80: 1.990, 100: 1.984, 120: 1.980, 1000: 1.962,
}  # fmt: skip


@pytest.mark.parametrize(("df", "t"), PRINTED.items())
def test_the_quantile_is_that_of_the_printed_table(df: int, t: float) -> None:
    assert round(t_quantile(df), 3) == t


@pytest.mark.parametrize(
    ("df", "t"),
    [
        (1, 12.706204736174694),
        (1.5, 6.016663104427929),
        (2.7, 3.3921483831737507),
        (7.25, 2.348194849105371),
        (33.3, 2.033819224134053),
        (198.6, 1.9719808436079431),
        (100_000, 1.9599877075346095),
    ],
)
def test_the_quantile_has_many_digits_also_for_broken_degrees_of_freedom(df: float, t: float) -> None:
    assert t_quantile(df) == pytest.approx(t, rel=1e-10)


@given(st.floats(1, 5_000))
def test_nineteen_in_twenty_lie_within_the_quantile(df: float) -> None:
    t = t_quantile(df)

    assert within(t, df) == pytest.approx(0.95, abs=1e-11)
    assert t_quantile(df + 1) < t


@given(st.floats(0.2, 50), st.floats(0.2, 50), st.floats(0.001, 0.999))
def test_the_two_tails_of_a_beta_distribution_make_a_whole(a: float, b: float, x: float) -> None:
    whole = incomplete_beta(a, b, x, 1 - x) + incomplete_beta(b, a, 1 - x, x)

    assert whole == pytest.approx(1, abs=1e-9)


def test_a_uniform_distribution_is_a_beta_distribution() -> None:
    assert incomplete_beta(1, 1, 0.3, 0.7) == pytest.approx(0.3)
    assert incomplete_beta(2, 1, 0.3, 0.7) == pytest.approx(0.09)
    assert incomplete_beta(2, 1, 0, 1) == 0


def test_the_density_of_one_degree_is_that_of_cauchy() -> None:
    assert density(0, 1) == pytest.approx(0.3183098861837907)
    assert density(1, 1) == pytest.approx(0.15915494309189535)


def test_welch_counts_as_many_degrees_as_the_textbook() -> None:
    # Welch (1947) with equal spread and size: those of the pooled test.
    assert welch_df((2.0, 10), (2.0, 10)) == pytest.approx(18)
    # One side without spread: only the other counts.
    assert welch_df((0.0, 10), (2.0, 5)) == pytest.approx(4)


def test_the_standard_error_falls_with_the_root_of_n() -> None:
    assert standard_error(3.0, 9) == 1


@pytest.mark.parametrize(
    ("df", "confidence", "t"), [(10, 0.99, 3.169273), (5, 0.999, 6.868827), (1, 0.9998, 3183.098757)]
)
def test_other_confidences_have_their_printed_quantiles(df: float, confidence: float, t: float) -> None:
    assert t_quantile(df, confidence) == pytest.approx(t, rel=1e-6)
