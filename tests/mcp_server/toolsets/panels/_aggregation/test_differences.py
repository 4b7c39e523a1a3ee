"""Groups are compared in pairs, and a difference is clear only when chance does not explain it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_server.toolsets.panels._aggregation.differences import MOST_GROUPS, MOST_SHOWN, compare, compared
from mcp_server.toolsets.panels._aggregation.gathering import gather
from mcp_server.toolsets.panels._results import Difference
from mcp_server.toolsets.panels._study import AskedQuestion
from tests.mcp_server.toolsets.panels._aggregation.replies import choice, replies, scale

NOISE = ["477457", "687373", "657448", "677668", "448476", "838347", "353567", "868668"]
"""Dice, thrown for eight groups alike."""


def differences(asked: AskedQuestion) -> list[Difference]:
    return compare(gather(asked))


def test_means_are_compared_in_favour_of_the_higher() -> None:
    found = differences(scale(replies(["4", "5", "6"], "Low"), replies(["8", "9", "10"], "High")))

    assert [(one.first, one.second, one.measure, one.difference, one.clear) for one in found] == [
        ("High", "Low", "mean", 4, True)
    ]
    assert found[0].interval is not None
    assert (found[0].interval.low, found[0].interval.high) == pytest.approx((1.733, 6.267), abs=1e-3)


@pytest.mark.parametrize(("each", "clear"), [(2, False), (3, False), (4, True), (20, True)])
def test_groups_without_spread_differ_clearly_only_where_chance_would_hardly_part_them(
    each: int, *, clear: bool
) -> None:
    (found,) = differences(scale(replies(["8"] * each, "A"), replies(["7"] * each, "B")))

    assert (found.difference, found.clear, found.interval is not None) == (1, clear, clear)


def test_one_voice_is_no_group() -> None:
    assert differences(scale(replies(["4", "5"], "A"), replies(["10"], "B"))) == []


def test_shares_are_compared_option_by_option() -> None:
    found = differences(
        choice(replies(["Price"] * 9 + ["Quality"], "A"), replies(["Price"] * 3 + ["Quality"] * 7, "B"))
    )

    assert [(one.first, one.second, one.measure, one.clear) for one in found] == [
        ("A", "B", "Price", True),
        ("B", "A", "Quality", True),
    ]
    assert [one.difference for one in found] == pytest.approx([0.6, 0.6])


def test_only_the_largest_are_shown_but_never_without_the_clear_ones() -> None:
    steady = [replies(["5"] * 30 + ["4"] * 30, f"Steady {number}") for number in range(2)]
    higher = replies(["6"] * 30 + ["5"] * 30, "Higher")
    wild = [replies([str(number), "10"], f"Wild {number}") for number in range(1, 6)]

    found = differences(scale(*steady, higher, *wild))

    assert len(found) == MOST_SHOWN
    assert {(one.first, one.second) for one in found if one.clear} >= {("Higher", "Steady 0"), ("Higher", "Steady 1")}
    assert [one.difference for one in found] == sorted((one.difference for one in found), reverse=True)


def test_of_many_groups_the_largest_are_compared() -> None:
    small = [replies(["1", "9"], f"Small {number}") for number in range(5)]
    large = [replies(["5", "6", "7"], f"Large {number}") for number in range(MOST_GROUPS)]

    found = differences(scale(*small, *large))

    assert {name for one in found for name in (one.first, one.second)} <= {f"Large {number}" for number in range(8)}


def test_of_many_pairs_chance_alone_makes_no_clear_difference() -> None:
    groups = [replies(points, f"G{n}") for n, points in enumerate(NOISE)]

    found = differences(scale(*groups))
    pair = differences(scale(groups[6], groups[7]))

    assert any(one.interval and one.interval.low > 0 for one in found)  # by itself it would be
    assert [one.clear for one in pair] == [True]
    assert not any(one.clear for one in found)
    assert compared(gather(scale(*groups))) == 28


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


def test_what_nobody_named_is_no_comparison() -> None:
    two = choice(replies(["Price", "Quality"], "A"), replies(["Price", "Price"], "B"))

    assert compared(gather(two)) == 2
    assert compared(gather(scale(replies(["1", "2"], "A")))) == 0
