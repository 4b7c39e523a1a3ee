"""The words and figures that all formats share."""

from dataclasses import replace
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_server.toolsets.panels._exports import phrases
from mcp_server.toolsets.panels._results import Count
from mcp_server.toolsets.panels._study import Reply
from tests.mcp_server.toolsets.panels.reports import report_of

REPORT = report_of()
SCALE, CATEGORICAL, _, QUALITATIVE = REPORT.sections


def test_who_did_not_answer_is_said_only_when_there_is_somebody() -> None:
    summary = SCALE.result.overall.model_copy(update={"n": 9, "members": 12, "failed": 2, "pending": 0, "unclear": 1})

    assert phrases.standing(summary) == "9 of 12 usable, 2 failed, 1 unclear"


@given(st.integers())
def test_replies_are_in_the_same_order_however_they_came(seed: int) -> None:
    shuffled = list(SCALE.asked.replies)
    Random(seed).shuffle(shuffled)

    ordered = phrases.ordered(replace(SCALE.asked, replies=tuple(shuffled)))

    assert ordered == phrases.ordered(SCALE.asked)
    assert list(dict.fromkeys(reply.group for reply in ordered)) == list(SCALE.asked.groups)


def test_replies_of_a_group_that_was_not_named_come_last() -> None:
    stranger = Reply("Aaron", "A group of yesterday")

    ordered = phrases.ordered(replace(SCALE.asked, replies=(stranger, *SCALE.asked.replies)))

    assert ordered[-1] == stranger


def test_only_a_scale_turns_answers_into_numbers() -> None:
    eight = Reply("A", "G", value="8")

    assert phrases.answer_of(SCALE, eight) == 8
    assert phrases.answer_of(CATEGORICAL, eight) == "8"
    assert phrases.answer_of(SCALE, replace(eight, value="8 or so")) == "8 or so"
    assert phrases.answer_of(SCALE, replace(eight, value="7.5")) == 7.5
    assert phrases.answer_of(SCALE, replace(eight, value=None)) == ""


@pytest.mark.parametrize(
    ("value", "written"), [("9/10", 9), (" 9 / 10 ", 9), ("7,5/10", 7.5), ("3/5", "3/5"), ("11/10", "11/10")]
)
def test_a_rating_of_so_many_is_a_number_where_spreadsheets_would_see_a_date(value: str, written: float | str) -> None:
    assert phrases.answer_of(SCALE, Reply("A", "G", value=value)) == written


def counts(**given: int) -> list[Count]:
    return [
        Count(value=value.removeprefix("p").replace("_", "."), count=count, share=0, interval=None)
        for value, count in given.items()
    ]


@given(st.integers(1, 150), st.data())
def test_ranges_lose_nobody_and_are_few(points: int, data: st.DataObject) -> None:
    each = [str(point) for point in range(points)]
    given_counts = data.draw(st.lists(st.integers(0, 9), min_size=points, max_size=points))
    told = [Count(value=point, count=n, share=0, interval=None) for point, n in zip(each, given_counts, strict=True)]

    found = phrases.ranges(each, told)

    assert len(found) <= phrases.POINTS_AT_MOST
    assert sum(count for _, count in found) == sum(given_counts)


def test_every_group_is_drawn_on_the_points_that_any_of_them_gave() -> None:
    first = SCALE.result.groups[0].model_copy(update={"counts": counts(p1=0, p7_5=1, p10=2)})
    result = SCALE.result.model_copy(update={"groups": [first, *SCALE.result.groups[1:]]})

    points = phrases.points_of(result)

    assert points == ["1", "2", "3", "4", "5", "6", "7", "7.5", "8", "9", "10"]
    assert len(phrases.ranges(points, result.groups[1].counts)) == len(points)
