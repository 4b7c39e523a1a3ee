"""Each group, and everyone, has its figures; without a usable answer there are none."""

import pytest

from mcp_server.toolsets.panels._aggregation.gathering import gather
from mcp_server.toolsets.panels._aggregation.summaries import numbers, summarize
from mcp_server.toolsets.panels._results import Summary
from mcp_server.toolsets.panels._study import AskedQuestion
from tests.mcp_server.toolsets.panels._aggregation.replies import choice, replies, scale, several


def everyone(asked: AskedQuestion) -> Summary:
    gathered = gather(asked)
    return summarize(None, gathered.everyone, gathered)


def test_a_scale_has_all_its_figures() -> None:
    found = everyone(scale(replies(["8", "9", "4", "none"], sentiment=0.5), top=10))

    assert found.scale is not None
    assert (found.members, found.n, found.unclear) == (4, 3, 1)
    assert (found.scale.mean, found.scale.median, found.scale.lowest, found.scale.highest) == (7, 8, 4, 9)
    assert found.scale.sd == pytest.approx(7**0.5)
    assert found.value == "7.0"
    assert found.sentiment == 0.5


def test_every_point_of_a_scale_is_listed_also_those_that_nobody_gave() -> None:
    found = everyone(scale(replies(["2", "2", "4.5"]), top=5))

    assert {count.value: count.count for count in found.counts} == {"1": 0, "2": 2, "3": 0, "4": 0, "4.5": 1, "5": 0}


def test_of_a_very_long_scale_only_what_was_given_is_listed() -> None:
    found = everyone(scale(replies(["500", "7"]), top=1_000))

    assert [count.value for count in found.counts] == ["7", "500"]
    assert len(everyone(scale(replies(["7"]), top=101)).counts) == 101


def test_several_choices_are_shares_of_the_personas() -> None:
    found = everyone(several(replies(["Price; Quality", "Price", "none", "Price; Price"])))

    assert [(count.value, count.count, count.share) for count in found.counts] == [
        ("Price", 3, 0.75),
        ("Quality", 1, 0.25),
        ("Service", 0, 0),
    ]
    assert found.value == "Price 75 %, Quality 25 %, none chosen 25 %"


def test_a_group_has_its_id_where_it_is_the_only_one() -> None:
    gathered = gather(scale(replies(["8", "9"], group_id="g1")))

    assert summarize("Founders", gathered.everyone, gathered).group_id == "g1"
    assert summarize(None, gathered.everyone, gathered).group_id is None
    assert numbers(gathered.everyone) == [8, 9]


@pytest.mark.parametrize("each", [2, 4, 20])
def test_equal_answers_have_a_spread_of_zero_and_no_interval(each: int) -> None:
    found = everyone(scale(replies(["4"] * each)))

    assert found.scale is not None
    assert (found.scale.sd, found.scale.interval) == (0, None)


@pytest.mark.parametrize(
    ("asked", "headline"),
    [
        (choice(replies(["Price"] * 6 + ["Quality"] * 3 + ["Service"])), "Price (60 %)"),
        (choice(replies(["Price"] * 51 + ["Quality"] * 49)), "split: Price 51 %, Quality 49 %"),
        (choice(replies(["Quality", "Price"])), "split: Price 50 %, Quality 50 %"),
        (choice(replies(list("ABCDE")), options=tuple("ABCDE")), "split: A 20 %, B 20 %, C 20 %, and 2 more"),
        (several(replies(["none", "none", "Price"])), "none chosen 67 %, Price 33 %"),
        (several(replies(["none", "none"])), "none chosen"),
        (several(replies(list("ABCD")), options=tuple("ABCD")), "A 25 %, B 25 %, C 25 %, and 1 more as often"),
        (several(replies(["A, b; C"]), options=("A, b", "C")), "A, b 100 %; C 100 %"),
    ],
)
def test_a_headline_names_who_leads_beyond_the_interval_and_how_many_are_level(
    asked: AskedQuestion, headline: str
) -> None:
    assert everyone(asked).value == headline
