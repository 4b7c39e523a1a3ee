"""Groups are compared in pairs, and a difference is clear only when chance does not explain it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_server.toolsets.panels._aggregation.differences import MOST_GROUPS, MOST_SHOWN, compare
from mcp_server.toolsets.panels._aggregation.gathering import gather
from mcp_server.toolsets.panels._aggregation.intervals import (
    Sample,
    of_mean,
    of_mean_difference,
    of_share,
    of_share_difference,
    t_quantile,
)
from mcp_server.toolsets.panels._results import Difference, Interval
from mcp_server.toolsets.panels._study import AskedQuestion
from tests.mcp_server.toolsets.panels._aggregation.replies import choice, replies, scale

NOISE = ["477457", "687373", "657448", "677668", "448476", "838347", "353567", "868668"]
"""Dice, thrown for eight groups alike."""


def differences(asked: AskedQuestion) -> list[Difference]:
    return compare(gather(asked)).differences


def test_means_are_compared_in_favour_of_the_higher() -> None:
    found = differences(scale(replies(["4", "5", "5", "6"], "Low"), replies(["8", "9", "9", "10"], "High")))

    assert [(one.first, one.second, one.measure, one.difference, one.clear) for one in found] == [
        ("High", "Low", "mean", 4, True)
    ]
    assert found[0].interval is not None
    assert (found[0].interval.low, found[0].interval.high) == pytest.approx((2.587, 5.413), abs=1e-3)
    of_three = differences(scale(replies(["4", "5", "6"], "Low"), replies(["8", "9", "10"], "High")))
    assert [one.clear for one in of_three] == [False]  # of twenty ways to part six, two are as far apart


@pytest.mark.parametrize(("each", "clear"), [(2, False), (3, False), (4, True), (20, True)])
def test_groups_without_spread_differ_clearly_only_where_chance_would_hardly_part_them(
    each: int, *, clear: bool
) -> None:
    (found,) = differences(scale(replies(["8"] * each, "A"), replies(["7"] * each, "B")))

    assert (found.difference, found.clear, found.interval is not None) == (1, clear, clear)


def test_shares_are_compared_option_by_option() -> None:
    found = differences(
        choice(replies(["Price"] * 9 + ["Quality"], "A"), replies(["Price"] * 3 + ["Quality"] * 7, "B"))
    )

    assert [(one.first, one.second, one.measure, one.clear) for one in found] == [
        ("A", "B", "Price", True),
        ("B", "A", "Quality", True),
    ]
    assert [one.difference for one in found] == pytest.approx([0.6, 0.6])


def test_two_voices_are_no_group_that_chooses_otherwise() -> None:
    # Fisher's exact test of 2 of 2 beside 7 of 62: p = 0.0179, enough for two comparisons and too much for nine.
    few = replies(["Price"] * 2, "Blue")
    many = replies(["Price"] * 7 + ["Quality"] * 55, "Red")

    found = differences(choice(few, many))

    assert {(one.measure, one.clear) for one in found} == {("Price", True), ("Quality", True)}
    more = choice(few, many, replies(["Price"] * 6 + ["Quality"] * 40 + ["Service"] * 4, "Green"))
    assert not any(one.clear for one in differences(more))


@pytest.mark.parametrize(("few", "clear"), [(["9", "9"], False), (["9", "9", "10", "9", "9"], True)])
def test_that_two_of_one_mind_agree_is_no_certainty(few: list[str], *, clear: bool) -> None:
    (found,) = differences(scale(replies(few, "Few"), replies(["5", "6", "7", "8", "9"] * 10, "Many")))

    assert (found.first, found.clear) == ("Few", clear)


def test_who_is_in_no_segment_is_compared_with_nobody() -> None:
    told = (replies(["1"] * 9, "region: North"), replies(["2"] * 9, "region: South"))

    found = compare(gather(scale(*told, replies(["9"] * 9, "region: not told"))))

    assert (found.made, [(one.first, one.second) for one in found.differences]) == (
        1,
        [("region: South", "region: North")],
    )


def test_only_the_largest_are_shown_but_never_without_the_clear_ones() -> None:
    steady = [replies(["5"] * 30 + ["4"] * 30, f"Steady {number}") for number in range(2)]
    higher = replies(["6"] * 30 + ["5"] * 30, "Higher")
    wild = [replies([str(number), "10"], f"Wild {number}") for number in range(1, 6)]

    found = differences(scale(*steady, higher, *wild))

    assert len(found) == MOST_SHOWN
    assert {(one.first, one.second) for one in found if one.clear} >= {("Higher", "Steady 0"), ("Higher", "Steady 1")}
    assert [one.difference for one in found] == sorted((one.difference for one in found), reverse=True)
    large = [replies(["5", "6", "7"], f"Large {number}") for number in range(MOST_GROUPS)]
    assert {one.first.split()[0] for one in differences(scale(*wild, *large))} == {"Large"}


def test_of_many_pairs_chance_alone_makes_no_clear_difference() -> None:
    groups = [replies(points, f"G{n}") for n, points in enumerate(NOISE)]

    found = differences(scale(*groups))
    pair = differences(scale(groups[6], groups[7]))

    assert any(one.interval and one.interval.low > 0 for one in found)  # by itself it would be
    assert [one.clear for one in pair] == [True]
    assert not any(one.clear for one in found)
    assert compare(gather(scale(*groups))).made == 28


def test_holm_spares_no_correction_for_what_is_clear_already() -> None:
    # B and C differ by 0.01 to 1.99: too little for one of three, enough for the last one that is open.
    apart = [replies(["9", "10"] * 8, "A"), replies(["4", "6"] * 5, "B"), replies(["3", "5"] * 5, "C")]

    assert [(one.first, one.second, one.clear) for one in differences(scale(*apart))] == [
        ("A", "C", True),
        ("A", "B", True),
        ("B", "C", True),
    ]


@given(st.lists(st.lists(st.integers(1, 10).map(str), min_size=2, max_size=9), min_size=2, max_size=6))
def test_what_is_clear_among_many_is_clear_by_itself_and_as_printed(groups: list[list[str]]) -> None:
    each = {f"G{n}": replies(values, f"G{n}") for n, values in enumerate(groups)}

    for one in differences(scale(*each.values())):
        assert not one.clear or differences(scale(each[one.first], each[one.second]))[0].clear
        assert not one.clear or (one.interval is not None and round(one.interval.low, 2) > 0)


points = st.lists(st.integers(1, 10).map(float), min_size=2, max_size=40)

# Two-sided 95 %, as printed in textbooks (three decimals).
PRINTED = {1: 12.706, 2: 4.303, 5: 2.571, 10: 2.228, 20: 2.086, 30: 2.042, 60: 2.000, 120: 1.980, 1000: 1.962}
EXACT = [(1, 12.706204736174694), (1.5, 6.016663104427929), (2.7, 3.3921483831737507), (7.25, 2.348194849105371),
         (33.3, 2.033819224134053), (198.6, 1.9719808436079431), (100_000, 1.9599877075346095)]  # fmt: skip

counts = st.integers(1, 400).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


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


@pytest.mark.parametrize(
    ("interval", "low", "high"),
    [
        # Wilson's, from Newcombe (1998), "Two-sided confidence intervals for the single proportion", table I.
        (of_share(81, 263), 0.2553, 0.3662),
        (of_share(15, 148), 0.0624, 0.1605),
        (of_share(0, 20), 0.0, 0.1611),
        (of_share(1, 29), 0.0061, 0.1718),
        # "Interval estimation for the difference between independent proportions", table II, method 10.
        (of_share_difference((56, 70), (48, 80)), 0.0524, 0.3339),
        (of_share_difference((9, 10), (3, 10)), 0.1705, 0.8090),
        (of_share_difference((5, 56), (0, 29)), -0.0381, 0.1926),
        (of_share_difference((0, 10), (0, 20)), -0.1611, 0.2775),
        (of_share_difference((10, 10), (0, 10)), 0.6075, 1.0),
    ],
)
def test_shares_have_the_printed_intervals_of_wilson_and_newcombe(interval: Interval, low: float, high: float) -> None:
    assert (round(interval.low, 4), round(interval.high, 4)) == (low, high)


def test_two_means_have_welchs_interval() -> None:
    first = Sample.of([27.5, 21.0, 19.0, 23.6, 17.0, 17.9, 16.9, 20.1, 21.9, 22.6, 23.1, 19.6, 19.0, 21.7, 21.4])
    second = Sample.of([27.1, 22.0, 20.8, 23.4, 23.4, 23.5, 25.8, 22.0, 24.8, 20.2, 21.9, 22.1, 22.9, 30.5, 24.8])

    interval = of_mean_difference(first, second)

    # As an independent statistics package has it: t = -2.8746, 27.9004 degrees of freedom.
    assert interval is not None
    assert (interval.low, interval.high) == pytest.approx((-4.898310338340683, -0.821689661659323), rel=1e-10)


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
    others = {(10, 0.99): 3.169273, (5, 0.999): 6.868827, (1, 0.9998): 3183.098757}
    assert [t_quantile(*each) for each in others] == pytest.approx(list(others.values()), rel=1e-6)
