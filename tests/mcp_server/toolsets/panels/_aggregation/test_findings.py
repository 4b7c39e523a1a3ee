"""Sentences say what the figures say, and nothing where they say nothing."""

from dataclasses import replace

import pytest

from mcp_server.toolsets.panels._aggregation.aggregate import aggregate
from mcp_server.toolsets.panels._study import AskedQuestion
from tests.mcp_server.toolsets.panels._aggregation.replies import choice, coded, open_question, replies, scale, several

YES_NO = ("Yes", "No")


def agreed(asked: AskedQuestion) -> list[str]:
    return aggregate(asked).agreements


def disagreed(asked: AskedQuestion) -> list[str]:
    return aggregate(asked).disagreements


def test_while_most_are_still_answering_nothing_is_found() -> None:
    waiting = {name: replies([None] * 3, name, status="pending", persona_id=None) for name in "AB"}
    early, late = ([(*replies(["8", "9"] * each, name), *rest) for name, rest in waiting.items()] for each in (1, 4))

    assert agreed(scale(*early)) == disagreed(scale(*early)) == []
    few = (*replies(["9", "9", "9", "1"], "A"), *replies([None] * 9, "A", status="pending", persona_id=None))
    assert aggregate(scale(few)).dissent == []
    assert "16 of 16 personas answered 8 to 9." in agreed(scale(*late))


def test_groups_that_clearly_differ_and_camps_behind_a_mean_are_told() -> None:
    asked = scale(replies(["8", "9", "9", "10"], "Founders"), replies(["4", "5", "5", "6"], "Students"))

    assert "Founders rate it 4.0 points above Students (interval 2.59 to 5.41)." in disagreed(asked)
    assert agreed(asked) == []
    assert disagreed(scale(replies(["1", "2", "9", "10", "5"]))) == [
        "The answers fall into two camps: 2 of 5 personas gave 1 to 2, 2 gave 9 to 10."
    ]


def test_a_group_that_hardly_answered_is_not_spoken_for() -> None:
    asked = scale(replies(["8", "9"] * 30, "A"), replies(["8", "9"] * 30, "B"), replies(["1", None], "C"))
    chosen = choice(replies(["Price"] * 5, "A"), replies(["Price"] * 5, "B"), replies(["Quality"], "C"))

    alike, side, _ = agreed(asked)

    assert alike.startswith("The 2 groups with 2 or more answers rate it alike")
    assert side.startswith("The means of the 2 groups with 2 or more answers are above")
    assert "The 2 groups with 2 or more answers put Price first." in agreed(chosen)


def test_different_favourites_are_a_disagreement() -> None:
    asked = choice(replies(["Price", "Price", "Quality"], "A"), replies(["Quality", "Quality", "Price"], "B"))

    clearly = choice(replies(["Price"] * 9, "A"), replies(["Quality"] * 9, "B"))

    assert disagreed(asked) == agreed(asked) == []  # nothing between them is clear
    assert "The groups put different things first: Price: A; Quality: B." in disagreed(clearly)


def test_only_groups_that_clearly_part_are_said_to_put_different_things_first() -> None:
    split = replies(["Service"] * 5 + ["Price"] * 4 + ["Quality"] * 4, "Split")
    a, b = replies(["Price"] * 9, "A"), replies(["Quality"] * 9, "B")
    # Price of half and Service of half are clearly more than B has of them, and not more than each other.
    near = [replies([most] * 8 + ["Quality"] * 5 + [less] * 4, most) for most, less in (("Price", "Service"),)]

    assert "The groups put different things first: Price: A; Quality: B." in disagreed(choice(a, b, split))
    assert [one for one in disagreed(choice(b, split, *near)) if "first" in one] == []


def test_clearly_different_shares_and_a_theme_of_one_group_only_are_told() -> None:
    shares = choice(replies(["Price"] * 9 + ["Quality"], "A"), replies(["Price"] * 3 + ["Quality"] * 7, "B"))
    themes = open_question(replies(["Price"] * 11 + ["Price; Setup"], "A"), replies(["Setup"] * 12, "B"))
    few = open_question(replies(["Price", "Price; Setup"], "A"), replies(["Setup", "Setup"], "B"))
    both = "Price: 90 % of A, 30 % of B (interval of the difference 17 to 81 points; of 2 comparisons)."

    assert disagreed(shares)[0] == both
    assert "Only A speak of Price: 12 of 12." in disagreed(coded(themes))
    # Two of two are no evidence, and exact words are never one group's only.
    assert [one for one in [*disagreed(coded(few)), *disagreed(themes)] if "Only" in one or "interval" in one] == []


def test_a_theme_is_no_groups_own_where_the_others_answers_could_not_be_coded() -> None:
    each = [replies([said] * 12 + ["Day"] * 12, name) for said, name in (("Night", "North"), ("Nachts", "South"))]
    read = coded(open_question(*each))
    unread = [replace(one, status="uncoded", codes=None) if "Nachts" in one.themes else one for one in read.replies]

    assert "Only North speak of Night: 12 of 24." in disagreed(read)
    claims = disagreed(replace(read, replies=tuple(unread)))
    assert [one for one in claims if "Only" in one or "interval" in one] == []


def test_themes_by_embeddings_tell_no_groups_apart_also_when_one_was_renamed() -> None:
    themes = coded(open_question(replies(["Price"] * 11 + ["Price; Setup"], "A"), replies(["Setup"] * 12, "B")))
    unseen = replace(themes, coded_by="embeddings")

    assert "Only A speak of Price: 12 of 12." in disagreed(themes)
    assert disagreed(replace(unseen, revisions=("Renamed “Water” into “Tiles”",))) == []


def test_groups_that_surely_rate_alike_are_said_to() -> None:
    asked = scale(*(replies(["7", "8"] * 20, name) for name in "ABC"))

    assert agreed(asked) == [
        (
            "All 3 groups rate it alike: their means are 7.5, "
            "and the intervals of their differences stay within 0.9 points."
        ),
        "The means of all 3 groups are above the middle of the scale (5.5), with their intervals.",
        "120 of 120 personas answered 7 to 8.",
    ]


@pytest.mark.parametrize(
    "groups",
    [
        [["3", "4", "5", "5"], ["3", "4", "4", "6"]],  # two means of 4.25, each of which may as well be 2.7 or 5.8
        [["8", "8"], ["8", "8"]],  # no spread: four voices, and no measure of how far they might be apart
        [["1", "10"] * 20, ["1", "10"] * 20],  # many voices of all kinds
    ],
)
def test_a_want_of_evidence_is_no_likeness(groups: list[list[str]]) -> None:
    asked = scale(*(replies(values, f"G{number}") for number, values in enumerate(groups)))

    assert not [one for one in agreed(asked) if "alike" in one]


@pytest.mark.parametrize(
    ("values", "side"),
    [
        (["6", "7", "7", "8"], "above"),
        (["2", "3", "3", "4"], "below"),
        (["0", "10", "10"], None),  # a mean of 6.7, and an interval of the whole scale
        (["5", "6", "6", "7"], None),
        (["8", "8"], None),
    ],
)
def test_a_side_of_the_middle_is_told_where_the_intervals_lie_on_it(values: list[str], side: str | None) -> None:
    told = [one for one in agreed(scale(*(replies(values, name) for name in "AB"))) if "middle" in one]

    assert told == (
        [f"The means of both groups are {side} the middle of the scale (5.5), with their intervals."] if side else []
    )


def test_on_a_scale_where_low_is_good_above_is_not_left_to_sound_so() -> None:
    asked = scale(*(replies(["6", "7", "7", "8"], name) for name in "AB"))

    (told,) = (one for one in agreed(replace(asked, text="How is it? 1 = best, 10 = worst")) if "middle" in one)

    assert told.endswith(
        "above the middle of the scale (5.5), with their intervals, where a low figure is the good one."
    )


@pytest.mark.parametrize(("yes", "said"), [(9, True), (8, False), (6, False)])
def test_an_option_is_first_everywhere_where_more_than_half_of_each_group_surely_chose_it(
    yes: int, *, said: bool
) -> None:
    asked = choice(*(replies(["Yes"] * yes + ["No"] * (10 - yes), name) for name in "AB"), options=YES_NO)

    assert ("Both groups put Yes first." in agreed(asked)) is said
    assert not [one for one in agreed(asked) if "No" in one]


def test_several_options_can_be_named_by_most() -> None:
    asked = several(*(replies(["Price; Quality"] * 9 + ["Price; Service"] * 6, name) for name in "AB"))
    many = several(*(replies(["Price; Quality"] * 70 + ["Price"] * 30, name) for name in "AB"))
    fewer = several(*(replies(["Price; Quality"] * 14 + ["Price"] * 6, name) for name in "AB"))

    assert agreed(asked) == ["Both groups put Price first.", "30 of 30 personas chose Price."]
    assert "Quality is named by more than half of the personas in both groups: 28 of 40 personas." not in agreed(fewer)
    assert "Quality is named by more than half of the personas in both groups: 140 of 200 personas." in agreed(many)
