"""Each group, and everyone, has its figures; without a usable answer there are none."""

from dataclasses import replace

import pytest

from mcp_server.toolsets.panels._aggregation.gathering import gather
from mcp_server.toolsets.panels._aggregation.summaries import numbers, summarize
from mcp_server.toolsets.panels._results import Summary
from mcp_server.toolsets.panels._study import AskedQuestion, Reply
from tests.mcp_server.toolsets.panels._aggregation.replies import choice, replies, scale, several


def everyone(asked: AskedQuestion) -> Summary:
    gathered = gather(asked)
    return summarize(None, gathered.everyone, gathered)


def test_every_point_of_a_scale_is_listed_also_those_that_nobody_gave() -> None:
    found = everyone(scale(replies(["2", "2", "4.5"]), top=5))

    assert {count.value: count.count for count in found.counts} == {"1": 0, "2": 2, "3": 0, "4": 0, "4.5": 1, "5": 0}

    long = everyone(scale(replies(["500", "7"]), top=1_000))  # of a very long one only those that somebody gave
    assert [count.value for count in long.counts] == ["7", "500"]
    assert len(everyone(scale(replies(["7"]), top=101)).counts) == 101


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


def panel(asked: AskedQuestion, engine: str, *, silent: int, failed: int = 0) -> Summary:
    """Everyone, where as many as this had no view and as many gave no answer."""
    others = (
        *replies([None] * silent, "Silent", status="declined"),
        *replies([None] * failed, "Late", status="failed"),
    )
    return everyone(replace(asked, engine=engine, replies=(*asked.replies, *others)))


@pytest.mark.parametrize(
    ("engine", "answered", "silent", "failed", "headline"),
    [
        ("offline", ["7", "8"], 34, 0, "2 of 36 had something on this: 7.5"),
        ("offline", ["7", "8", "6", "7"], 3, 0, "4 of 7 had something on this: 7.0"),
        ("offline", ["7"], 1, 2, "1 of 4 had something on this: 7 (1 answer, no mean)"),
        ("offline", ["7", "8"], 0, 1, "2 of 3 had something on this: 7.5"),
        ("offline", ["7", "8"], 0, 0, "7.5"),
        ("a model", ["7", "8", "6", "7"], 3, 0, "7.0"),
        ("a model", ["7", "8"], 2, 1, "2 of 5 had something on this: 7.5"),
    ],
)
def test_how_many_of_all_who_were_asked_had_something_to_say_comes_first(
    engine: str, answered: list[str], silent: int, failed: int, headline: str
) -> None:
    assert panel(scale(replies(answered)), engine, silent=silent, failed=failed).value == headline


def test_how_few_had_something_to_say_comes_first_for_a_group_and_a_choice_too() -> None:
    asked = choice(
        (*replies(["Price"] * 4), *replies([None] * 3, status="declined", persona="Silent", persona_id=None))
    )
    gathered = gather(replace(asked, engine="offline"))

    found = summarize("Founders", gathered.groups["Founders"], gathered)

    assert found.value == "4 of 7 had something on this: Price (100 %)"


ADA = Reply(persona="Ada", group="A", persona_id="1", value="8", message="Eight.")


def test_without_ids_the_same_words_under_the_same_name_are_one_persona_unless_in_one_group() -> None:
    nameless = replace(ADA, persona_id=None)
    one = gather(scale((nameless, replace(nameless, group="B"), replace(nameless, group="C", message="Other."))))
    two = gather(scale((nameless, nameless, replace(nameless, group="B"))))

    assert (len(one.everyone), len(two.everyone), len(two.groups["A"])) == (2, 2, 2)


def test_asked_groups_come_first_and_two_of_one_name_are_numbered() -> None:
    def reply(group: str, group_id: str | None = None) -> Reply:
        return replace(ADA, group=group, group_id=group_id)

    def groups(*told: Reply, asked: tuple[str, ...] = ()) -> list[str]:
        return list(gather(replace(scale(told), groups=asked)).groups)

    assert groups(reply("Zoo"), reply("Art"), reply("B"), asked=("B", "A")) == ["B", "A", "Art", "Zoo"]
    twins = (reply("Teens", "2"), reply("Teens", "1"))
    assert groups(*twins, reply("B"), asked=("Teens", "B")) == ["Teens (1)", "Teens (2)", "B"]
    assert groups(*twins, reply("Teens")) == ["Teens", "Teens (1)", "Teens (2)"]
    assert groups(reply("Teens", "1"), reply("Teens")) == ["Teens"]
