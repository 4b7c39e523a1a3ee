"""The intervals are the published ones, hold what they are about, and never leave what is possible."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_server.toolsets.panels._aggregation.intervals import (
    Sample,
    of_mean,
    of_mean_difference,
    of_share,
    of_share_difference,
    t_quantile,
)

points = st.lists(st.integers(1, 10).map(float), min_size=2, max_size=40)

# Two-sided 95 %, as printed in textbooks (three decimals).
PRINTED = {1: 12.706, 2: 4.303, 5: 2.571, 10: 2.228, 20: 2.086, 30: 2.042, 60: 2.000, 120: 1.980, 1000: 1.962}
EXACT = [(1, 12.706204736174694), (1.5, 6.016663104427929), (2.7, 3.3921483831737507), (7.25, 2.348194849105371),
         (33.3, 2.033819224134053), (198.6, 1.9719808436079431), (100_000, 1.9599877075346095)]  # fmt: skip

counts = st.integers(1, 400).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


def test_a_mean_has_students_interval() -> None:
    interval = of_mean(Sample.of([4, 5, 6, 7, 8]), (1, 10))

    # 6 ± 2.776445 times 1.581139 by the root of 5
    assert interval is not None
    assert (interval.low, interval.high) == pytest.approx((4.036757, 7.963243), abs=1e-6)
    assert interval.method == "Student t"


def test_an_interval_of_a_mean_ends_where_the_scale_ends_and_says_so() -> None:
    interval = of_mean(Sample.of([9, 10, 10]), (1, 10))

    assert interval is not None
    assert interval.high == 10
    assert interval.low == pytest.approx(8.232449, abs=1e-6)
    assert interval.method == "Student t, clipped to the scale"


def test_one_number_has_neither_spread_nor_interval() -> None:
    sample = Sample.of([7])

    assert sample.sd is None
    assert of_mean(sample, (1, 10)) is None
    assert of_mean_difference(sample, Sample.of([1, 2])) is None


# Wilson's interval, from Newcombe (1998), "Two-sided confidence intervals for the single proportion", table I.
@pytest.mark.parametrize(
    ("count", "n", "low", "high"),
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)],
)
def test_a_share_has_wilsons_interval(count: int, n: int, low: float, high: float) -> None:
    interval = of_share(count, n)

    assert (round(interval.low, 4), round(interval.high, 4)) == (low, high)
    assert interval.method == "Wilson score"


# Newcombe (1998), "Interval estimation for the difference between independent proportions", table II, method 10.
@pytest.mark.parametrize(
    ("first", "second", "low", "high"),
    [
        ((56, 70), (48, 80), 0.0524, 0.3339),
        ((9, 10), (3, 10), 0.1705, 0.8090),
        ((6, 7), (2, 7), 0.0582, 0.8062),
        ((5, 56), (0, 29), -0.0381, 0.1926),
        ((0, 10), (0, 20), -0.1611, 0.2775),
        ((10, 10), (0, 10), 0.6075, 1.0),
    ],
)
def test_two_shares_have_newcombes_interval(
    first: tuple[int, int], second: tuple[int, int], low: float, high: float
) -> None:
    interval = of_share_difference(first, second)

    assert (round(interval.low, 4), round(interval.high, 4)) == (low, high)


def test_two_means_have_welchs_interval() -> None:
    first = Sample.of([27.5, 21.0, 19.0, 23.6, 17.0, 17.9, 16.9, 20.1, 21.9, 22.6, 23.1, 19.6, 19.0, 21.7, 21.4])
    second = Sample.of([27.1, 22.0, 20.8, 23.4, 23.4, 23.5, 25.8, 22.0, 24.8, 20.2, 21.9, 22.1, 22.9, 30.5, 24.8])

    interval = of_mean_difference(first, second)

    # As an independent statistics package has it: t = -2.8746, 27.9004 degrees of freedom.
    assert interval is not None
    assert (interval.low, interval.high) == pytest.approx((-4.898310338340683, -0.821689661659323), rel=1e-10)


def test_two_groups_of_one_mind_each_differ_by_exactly_that_and_the_method_says_why() -> None:
    interval = of_mean_difference(Sample.of([8, 8, 8]), Sample.of([6, 6]))

    assert interval is not None
    assert (interval.low, interval.high) == (2, 2)
    assert "no spread" in interval.method


@given(points)
def test_the_interval_of_a_mean_holds_it_and_stays_on_the_scale(numbers: list[float]) -> None:
    sample = Sample.of(numbers)
    interval = of_mean(sample, (1, 10))

    assert interval is not None
    assert 1 <= interval.low <= sample.mean <= interval.high <= 10


@given(counts)
def test_the_interval_of_a_share_holds_it_and_stays_between_none_and_all(told: tuple[int, int]) -> None:
    interval = of_share(*told)

    assert 0 <= interval.low <= told[0] / told[1] <= interval.high <= 1
    assert (interval.low == 0) == (told[0] == 0)
    assert (interval.high == 1) == (told[0] == told[1])


def test_students_quantiles_are_those_of_the_printed_tables_and_have_many_digits_between_them() -> None:
    assert {df: round(t_quantile(df), 3) for df in PRINTED} == PRINTED
    assert [t_quantile(df) for df, _ in EXACT] == pytest.approx([t for _, t in EXACT], rel=1e-10)


@pytest.mark.parametrize(
    ("df", "confidence", "t"), [(10, 0.99, 3.169273), (5, 0.999, 6.868827), (1, 0.9998, 3183.098757)]
)
def test_other_confidences_have_their_printed_quantiles(df: float, confidence: float, t: float) -> None:
    assert t_quantile(df, confidence) == pytest.approx(t, rel=1e-6)
