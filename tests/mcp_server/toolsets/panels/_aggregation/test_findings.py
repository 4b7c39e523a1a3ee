"""Sentences say what the figures say, and nothing where they say nothing."""

import pytest

from mcp_server.toolsets.panels._aggregation.differences import compare
from mcp_server.toolsets.panels._aggregation.findings import agreements, disagreements
from mcp_server.toolsets.panels._aggregation.gathering import Gathered, gather
from mcp_server.toolsets.panels._aggregation.summaries import summarize
from mcp_server.toolsets.panels._aggregation.themes import find_themes
from mcp_server.toolsets.panels._results import Summary
from mcp_server.toolsets.panels._study import AskedQuestion
from tests.mcp_server.toolsets.panels._aggregation.replies import choice, open_question, replies, scale


def prepared(asked: AskedQuestion) -> tuple[Gathered, list[Summary]]:
    gathered = gather(asked)
    gathered = find_themes(gathered).gathered if asked.type == "qualitative" else gathered
    return gathered, [summarize(name, entries, gathered) for name, entries in gathered.answered().items()]


def agreed(asked: AskedQuestion) -> list[str]:
    gathered, groups = prepared(asked)
    return agreements(gathered, groups, compare(gathered))


def disagreed(asked: AskedQuestion) -> list[str]:
    gathered, groups = prepared(asked)
    return disagreements(gathered, groups, compare(gathered))


def test_groups_that_rate_alike_are_said_to() -> None:
    asked = scale(replies(["7", "8"], "A"), replies(["8", "8"], "B"), replies(["7", "8"], "C"))

    assert agreed(asked) == [
        "All 3 groups rate it alike: their means lie between 7.5 and 8.0.",
        "The means of all 3 groups are above the middle of the scale (5.5).",
        "6 of 6 personas answered 7 to 8.",
    ]
    assert disagreed(asked) == []


def test_groups_that_clearly_differ_are_told_by_how_much() -> None:
    asked = scale(replies(["8", "9", "10"], "Founders"), replies(["4", "5", "6"], "Students"))

    assert "Founders rate it 4.0 points above Students (interval 1.73 to 6.27)." in disagreed(asked)
    assert agreed(asked) == []


def test_two_camps_are_seen_behind_their_mean() -> None:
    assert disagreed(scale(replies(["1", "2", "9", "10", "5"]))) == [
        "The answers fall into two camps: 2 of 5 personas gave 1 to 2, 2 gave 9 to 10."
    ]


@pytest.mark.parametrize(
    ("values", "top"),
    [
        (["2", "3", "2", "3"], 4),  # beside each other in the middle of a short scale
        (["3", "3", "5", "5"], 7),
        (["4", "4", "7", "7"], 10),
        (["1", "2", "4", "5", "6", "7", "9", "10"], 10),  # spread over all of it
    ],
)
def test_who_is_in_the_middle_is_in_no_camp(values: list[str], top: int) -> None:
    assert disagreed(scale(replies(values), top=top)) == []


def test_the_ends_of_a_short_scale_are_two_camps() -> None:
    (told,) = disagreed(scale(replies(["1", "1", "4", "4", "2"]), top=4))

    assert "2 of 5 personas gave 1, 2 gave 4" in told


def test_a_group_that_hardly_answered_is_not_spoken_for() -> None:
    asked = scale(replies(["8", "8"], "A"), replies(["8", "8"], "B"), replies(["1", None], "C"))
    chosen = choice(replies(["Price"] * 2, "A"), replies(["Price"] * 2, "B"), replies(["Quality"], "C"))

    assert all(one.startswith(("The 2 groups with", "The means of the 2 groups with")) for one in agreed(asked)[:2])
    assert "The 2 groups with 2 or more answers put Price first." in agreed(chosen)


def test_one_option_first_everywhere_is_an_agreement() -> None:
    asked = choice(*(replies(["Price", "Price", "Quality"], name) for name in "ABC"))

    assert "All 3 groups put Price first." in agreed(asked)
    assert disagreed(asked) == []


def test_what_nearly_everybody_chose_is_an_agreement_without_groups_too() -> None:
    assert agreed(choice(replies(["Price"] * 9 + ["Quality"]))) == ["9 of 10 personas chose Price."]


def test_an_option_that_half_of_every_group_chose_is_named() -> None:
    asked = choice(replies(["Price", "Quality"], "A"), replies(["Price", "Service"], "B"))

    assert agreed(asked) == ["Price is named by at least half of the personas in both groups: 2 of 4 personas."]


def test_different_favourites_are_a_disagreement() -> None:
    asked = choice(replies(["Price", "Price", "Quality"], "A"), replies(["Quality", "Quality", "Price"], "B"))

    clearly = choice(replies(["Price"] * 9, "A"), replies(["Quality"] * 9, "B"))

    assert disagreed(asked) == [
        "The groups put different things first, though no difference between them is clear: Price: A; Quality: B."
    ]
    assert agreed(asked) == []
    assert "The groups put different things first: Price: A; Quality: B." in disagreed(clearly)


def test_clearly_different_shares_are_told() -> None:
    asked = choice(replies(["Price"] * 9 + ["Quality"], "A"), replies(["Price"] * 3 + ["Quality"] * 7, "B"))

    assert disagreed(asked)[0] == "Price: 90 % of A, 30 % of B (interval of the difference 17 to 81 points)."


def test_a_theme_of_one_group_only_is_told() -> None:
    asked = open_question(replies(["Price", "Price; Setup"], "A"), replies(["Setup", "Setup"], "B"))

    assert "Only A speak of Price: 2 of 2." in disagreed(asked)


def test_a_theme_that_most_speak_of_is_told() -> None:
    asked = open_question(replies(["Price", "Price"], "A"), replies(["Price", "Setup"], "B"))

    assert "3 of 4 personas speak of Price." in agreed(asked)


def test_groups_of_opposite_mind_are_told() -> None:
    asked = open_question(replies(["x y", "x y"], "A", sentiment=0.5), replies(["x y", "x y"], "B", sentiment=-0.4))

    assert disagreed(asked) == ["A are in favour (mean sentiment 0.5), B against (-0.4)."]


def test_no_answers_make_no_sentences() -> None:
    for asked in (scale(), choice(), open_question(), scale(replies(["5"]))):
        assert agreed(asked) == disagreed(asked) == []
