"""Those who see it otherwise are named, with their own words; and the strongest voices come from all sides."""

from dataclasses import replace

import pytest

from mcp_server.toolsets.panels._aggregation.aggregate import aggregate
from mcp_server.toolsets.panels._aggregation.themes import gather_themed
from mcp_server.toolsets.panels._aggregation.voices import MOST_VOICES, dissent, strongest
from mcp_server.toolsets.panels._results import Quote, Voice
from mcp_server.toolsets.panels._study import AskedQuestion
from tests.mcp_server.toolsets.panels._aggregation.replies import choice, open_question, replies, scale


def voices(asked: AskedQuestion) -> list[Voice]:
    return dissent(gather_themed(asked))


def quotes(asked: AskedQuestion) -> list[Quote]:
    return strongest(gather_themed(asked))


def test_a_rating_far_from_the_group_is_a_dissent_with_its_words() -> None:
    found = voices(scale(replies(["8", "8", "9", "8", "3"])))

    assert [(one.persona, one.value, one.quote) for one in found] == [("Founders 5", "3", "I say 3, and mean it.")]
    assert "7.2" in found[0].reason
    # At the other end it is one in any spread.
    assert [one.value for one in voices(scale(replies(["5", "5", "5", "1", "5", "5", "1"]), top=5))] == ["1", "1"]


@pytest.mark.parametrize("values", [["9", "9", "8", "2"], ["8", "8", "10", "3"], ["9", "9", "3"], ["2", "1", "2", "7"]])
def test_a_single_voice_in_a_small_group_is_a_dissent(values: list[str]) -> None:
    (found,) = voices(scale(replies(values)))

    assert found.value in {"2", "3", "7"}
    assert found.persona == f"Founders {values.index(found.value) + 1}"


def test_small_steps_are_no_dissent() -> None:
    assert voices(scale(replies(["8", "8", "8", "8", "7"]))) == []
    assert voices(scale(replies(["1", "10"]))) == []
    # 12 points are little on a scale to 100.
    assert voices(scale(replies(["60", "60", "60", "60", "48"]), top=100)) == []


def test_whoever_chose_what_few_chose_is_a_dissent() -> None:
    found = voices(choice(replies(["Price"] * 4 + ["Service"])))

    assert [(one.persona, one.value, one.reason) for one in found] == [
        ("Founders 5", "Service", "80 % of Founders chose Price")
    ]
    assert [one.value for one in voices(choice(replies(["Price"] * 3 + ["Service"])))] == ["Service"]
    assert voices(choice(replies(["Price", "Price", "Quality"]))) == []
    assert voices(choice(replies(["Price", "Price", "Quality", "Quality"]))) == []


def test_whoever_is_alone_with_a_theme_and_of_another_mind_is_a_dissent() -> None:
    happy = replies(["Speed", "Speed", "Speed"], sentiment=0.6)
    alone = replies(["Privacy"], "Founders", sentiment=-0.5, persona="Zoe", persona_id="z")

    found = voices(open_question(happy, alone))

    assert [(one.persona, one.value) for one in found] == [("Zoe", "Privacy")]
    assert "in favour" in found[0].reason
    assert voices(open_question(happy, tuple(replace(one, sentiment=0.5) for one in alone))) == []
    # Where no sentiment is known only a theme of one's own counts.
    silent = voices(open_question(replies(["Speed", "Speed", "Speed", "Privacy", "Speed; Design"])))
    assert [one.value for one in silent] == ["Privacy"]


def test_a_persona_dissents_once_and_only_the_farthest_are_named() -> None:
    both = [
        replies(["9"] * 9, name, message="Nine.") + replies(["1"], name, persona="Zoe", persona_id="z")
        for name in ("A", "B")
    ]
    many = replies(["9"] * 90 + ["2"] * 12)

    assert [one.persona for one in voices(scale(*both))] == ["Zoe"]
    told = aggregate(scale(many))
    assert len(told.dissent) == MOST_VOICES
    assert "12 personas see it otherwise" in next(one.message for one in told.caveats if one.code == "more_voices")


def test_the_strongest_voices_come_from_different_groups_and_sides() -> None:
    found = quotes(scale(replies(["1", "9", "10"], "A"), replies(["2", "9", "8"], "B")))

    assert [(one.persona, one.group) for one in found] == [("A 1", "A"), ("B 2", "B"), ("B 1", "B"), ("A 3", "A")]


def test_of_open_answers_the_strongest_sentiments_are_quoted() -> None:
    told = [replies(["Speed"], name, sentiment=mood) for name, mood in (("A", 0.1), ("B", 0.9), ("C", -0.8))]

    assert [one.group for one in quotes(open_question(*told))] == ["B", "C", "A"]


def test_whoever_takes_the_other_side_of_the_premise_than_most_dissents() -> None:
    most = replies(["Price"] * 5, stance="agrees", codes=())
    few = replies(["Never"] * 2, "Students", stance="disagrees", codes=())
    rest = replies(["?"], "Parents", stance="neither", codes=())

    found = voices(open_question(most, few, rest, coded_by="model"))
    split = voices(open_question(most[:2], few, coded_by="model"))

    assert [(one.persona, one.group) for one in found] == [("Students 1", "Students"), ("Students 2", "Students")]
    assert "6 of 8 do not object" in found[0].reason
    assert split == []


@pytest.mark.parametrize("agreeing", [0, 2])
def test_whoever_rejects_the_premise_dissents_also_where_most_take_no_side(agreeing: int) -> None:
    rest = replies(["Price"] * (45 - agreeing), stance="neither", codes=())
    for_it = replies(["Tea"] * agreeing, "Parents", stance="agrees", codes=())
    few = replies(["Never"] * 3, "Students", stance="disagrees", codes=())

    found = voices(open_question(rest, for_it, few, coded_by="model"))

    assert {one.group for one in found} == {"Students"}
    assert len(found) == 3
