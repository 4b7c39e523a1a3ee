"""An agreement is said where the answers show it, and never because nothing else was found."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_server.toolsets.panels._aggregation.agreeing import in_choices, in_ratings, often, span
from mcp_server.toolsets.panels._aggregation.differences import compare
from mcp_server.toolsets.panels._aggregation.gathering import gather, usable
from mcp_server.toolsets.panels._aggregation.summaries import summarize
from mcp_server.toolsets.panels._aggregation.themes import find_themes
from mcp_server.toolsets.panels._study import AskedQuestion
from tests.mcp_server.toolsets.panels._aggregation.replies import choice, open_question, replies, scale, several

YES_NO = ("Yes", "No")


def agreed(asked: AskedQuestion) -> list[str]:
    gathered = gather(asked)
    gathered = find_themes(gathered).gathered if asked.type == "qualitative" else gathered
    groups = [summarize(name, entries, gathered) for name, entries in gathered.answered().items()]
    if asked.type == "scale":
        return list(in_ratings(gathered, groups, compare(gathered)))
    return list(in_choices(gathered, groups))


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


def test_what_most_gave_is_no_agreement_where_groups_clearly_differ() -> None:
    asked = scale(replies(["8", "9"] * 20, "Many"), replies(["1", "2"] * 5, "Few"))

    assert agreed(asked) == []


def test_a_vote_of_halves_is_no_agreement() -> None:
    halves = choice(*(replies(["Yes", "No"] * 5, name) for name in "AB"), options=YES_NO)

    assert agreed(halves) == []


@pytest.mark.parametrize(("yes", "said"), [(9, True), (8, False), (6, False)])
def test_an_option_is_first_everywhere_where_more_than_half_of_each_group_surely_chose_it(
    yes: int, *, said: bool
) -> None:
    asked = choice(*(replies(["Yes"] * yes + ["No"] * (10 - yes), name) for name in "AB"), options=YES_NO)

    assert ("Both groups put Yes first." in agreed(asked)) is said
    assert not [one for one in agreed(asked) if "No" in one]


def test_what_nearly_everybody_chose_is_an_agreement_without_groups_too() -> None:
    assert agreed(choice(replies(["Price"] * 9 + ["Quality"]))) == ["9 of 10 personas chose Price."]


def test_what_one_large_group_chose_is_none() -> None:
    assert agreed(choice(replies(["Price"] * 20, "Many"), replies(["Quality", "Quality"], "Few"))) == []
    assert agreed(choice(replies(["Price"] * 20, "Many"), replies(["Price", "Quality"], "Few"))) == []


def test_several_options_can_be_named_by_most() -> None:
    asked = several(*(replies(["Price; Quality"] * 9 + ["Price; Service"] * 6, name) for name in "AB"))
    many = several(*(replies(["Price; Quality"] * 70 + ["Price"] * 30, name) for name in "AB"))
    fewer = several(*(replies(["Price; Quality"] * 14 + ["Price"] * 6, name) for name in "AB"))

    assert agreed(asked) == [
        "Both groups put Price first.",
        "30 of 30 personas chose Price.",
    ]
    assert "Quality is named by more than half of the personas in both groups: 28 of 40 personas." not in agreed(fewer)
    assert "Quality is named by more than half of the personas in both groups: 140 of 200 personas." in agreed(many)


def test_a_theme_may_be_spoken_of_by_half_of_a_group() -> None:
    asked = open_question(replies(["Price", "Price"], "A"), replies(["Price", "Setup"], "B"))

    assert agreed(asked) == ["3 of 4 personas speak of Price."]


@given(st.lists(st.lists(st.sampled_from(YES_NO), min_size=2, max_size=12), min_size=2, max_size=3))
def test_of_two_answers_never_both_are_agreed_on(groups: list[list[str]]) -> None:
    found = agreed(choice(*(replies(each, f"G{n}") for n, each in enumerate(groups)), options=YES_NO))

    assert not (any("Yes" in one for one in found) and any("No" in one for one in found))


def test_numbers_and_choices_are_told_as_they_are() -> None:
    entries = usable(gather(several(replies(["Price; Quality", "Price"]))).everyone)

    assert often(entries) == {"Price": 2, "Quality": 1}
    assert (span([2.0, 4.5]), span([3.0])) == ("2 to 4.5", "3")
