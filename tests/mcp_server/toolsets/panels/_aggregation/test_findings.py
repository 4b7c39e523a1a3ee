"""Sentences say what the figures say, and nothing where they say nothing."""

from dataclasses import replace

import pytest

from mcp_server.toolsets.panels._aggregation.differences import compare
from mcp_server.toolsets.panels._aggregation.findings import agreements, disagreements
from mcp_server.toolsets.panels._aggregation.gathering import Gathered, gather
from mcp_server.toolsets.panels._aggregation.summaries import summarize
from mcp_server.toolsets.panels._aggregation.themes import find_themes
from mcp_server.toolsets.panels._results import Summary
from mcp_server.toolsets.panels._study import AskedQuestion
from tests.mcp_server.toolsets.panels._aggregation.replies import choice, open_question, replies, scale, several


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


def test_while_most_are_still_answering_nothing_is_found() -> None:
    early = [
        (*replies(["8", "9"], name), *replies([None] * 3, name, status="pending", persona_id=None)) for name in "AB"
    ]
    late = [
        (*replies(["8", "9"] * 4, name), *replies([None] * 3, name, status="pending", persona_id=None)) for name in "AB"
    ]

    assert agreed(scale(*early)) == disagreed(scale(*early)) == []
    assert "16 of 16 personas answered 8 to 9." in agreed(scale(*late))


def test_who_has_failed_is_not_waited_for() -> None:
    asked = [
        (*replies(["8", "9"], name), *replies([None] * 9, name, status="failed", persona_id=None)) for name in "AB"
    ]

    assert agreed(scale(*asked)) == ["4 of 4 personas answered 8 to 9."]


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
        (["1", "2", "2", "2", "3", "3", "3", "4", "4", "4", "5", "5"], 5),  # a bell
        (["1", "2", "3", "4", "5"] * 4, 5),
        (["2"] * 10 + ["4"] * 10, 5),
    ],
)
def test_who_is_in_the_middle_is_in_no_camp(values: list[str], top: int) -> None:
    assert disagreed(scale(replies(values), top=top)) == []


def test_the_ends_of_a_short_scale_are_two_camps() -> None:
    (told,) = disagreed(scale(replies(["1", "1", "4", "4", "2"]), top=4))

    assert "2 of 5 personas gave 1, 2 gave 4" in told


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

    assert disagreed(asked) == [
        "The groups put different things first, though no difference between them is clear: Price: A; Quality: B."
    ]
    assert agreed(asked) == []
    assert "The groups put different things first: Price: A; Quality: B." in disagreed(clearly)


def test_a_clear_difference_elsewhere_does_not_make_favourites_differ_clearly() -> None:
    asked = several(
        replies(["Price; Quality; Service"] * 8 + ["Price"] * 2, "A"),
        replies(["Price; Quality"] * 8 + ["Quality"] * 2, "B"),
    )
    only_one = choice(
        replies(["Price"] * 21 + ["Quality"] * 19, "A"),
        replies(["Price"] * 19 + ["Quality"] * 21, "B"),
        replies(["Price"] * 40, "C"),
    )

    assert "Service: 80 % of A, 0 % of B" in disagreed(asked)[0]
    assert any("first, though no difference between them is clear" in one for one in disagreed(asked)[1:])
    assert "The groups put different things first: Price: A, C; Quality: B." in disagreed(only_one)


def test_of_several_pairs_their_number_is_told() -> None:
    asked = scale(*(replies([low, high] * 10, name) for name, low, high in (("A", "8", "9"), ("B", "2", "3"))))
    three = replace(asked, replies=(*asked.replies, *replies(["8", "9"] * 10, "C")))

    assert disagreed(asked)[:1] == ["A rate it 6.0 points above B (interval 5.67 to 6.33)."]
    assert disagreed(three)[0] == "A rate it 6.0 points above B (interval 5.67 to 6.33; of 3 pairs compared)."


def test_clearly_different_shares_are_told() -> None:
    asked = choice(replies(["Price"] * 9 + ["Quality"], "A"), replies(["Price"] * 3 + ["Quality"] * 7, "B"))

    assert (
        disagreed(asked)[0]
        == "Price: 90 % of A, 30 % of B (interval of the difference 17 to 81 points; of 2 comparisons)."
    )


def test_a_theme_of_one_group_only_is_told() -> None:
    asked = open_question(replies(["Price", "Price; Setup"], "A"), replies(["Setup", "Setup"], "B"))

    assert "Only A speak of Price: 2 of 2." in disagreed(asked)


def test_a_theme_that_most_speak_of_is_told() -> None:
    asked = open_question(replies(["Price", "Price"], "A"), replies(["Price", "Setup"], "B"))

    assert "3 of 4 personas speak of Price." in agreed(asked)


def test_the_tone_of_the_words_is_no_difference_in_what_was_answered() -> None:
    asked = choice(replies(["Yes"] * 10, "A", sentiment=0.7), replies(["Yes"] * 10, "B", sentiment=-0.7))

    assert disagreed(asked) == []


def test_no_answers_make_no_sentences() -> None:
    for asked in (scale(), choice(), open_question(), scale(replies(["5"]))):
        assert agreed(asked) == disagreed(asked) == []


@pytest.mark.parametrize(
    ("engine", "origins", "found"),
    [
        ("offline-1", ("mind_personality",) * 3 + ("mind_knowledge",), False),
        ("offline-1", ("mind_personality", "mind_knowledge") * 2, False),
        ("offline-1", ("mind_personality", *("mind_knowledge",) * 3), True),
        ("some-model", ("mind_personality",) * 4, True),
        ("offline-1", (None,) * 4, True),
    ],
)
def test_what_an_engine_without_a_model_guesses_is_no_finding(
    engine: str, origins: tuple[str | None, ...], found: bool
) -> None:
    given = [replace(one, origin=origin) for one, origin in zip(replies(["Price"] * 4), origins, strict=True)]
    asked = replace(choice(tuple(given)), engine=engine)

    assert bool(agreed(asked)) is found


def test_an_agreement_does_not_reach_across_the_middle_of_a_short_scale() -> None:
    both_sides = scale(replies(["1", "2", "2", "2", "3", "3", "3", "3", "4", "4", "4", "5"]), top=5)
    one_side = scale(replies(["4", "4", "4", "5", "5", "5", "4", "2"]), top=5)

    assert agreed(both_sides) == []
    assert agreed(one_side) == ["7 of 8 personas answered 4 to 5."]
