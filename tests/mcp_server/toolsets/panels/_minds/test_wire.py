"""Panels are read with suspicion: what is documented is understood, what is odd is left out, nothing breaks."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_server.errors import ServiceUnavailable
from mcp_server.toolsets.panels._minds import wire
from mcp_server.toolsets.panels._minds.studies import study
from mcp_server.toolsets.panels._study import AskedQuestion, Group, Member, Reply
from tests.mcp_server.toolsets.panels.world import answer, audience, id_of, landed, output, summary
from tests.mcp_server.toolsets.personas.test_answers import anything

OWNERS = Group(id_of("Owners"), "Owners", (Member(id_of("Mia"), "Mia"), Member(id_of("Ben"), "Ben")))


@given(anything)
def test_no_body_breaks_a_reader(body: Any) -> None:
    data = body if isinstance(body, dict) else {}
    study(data)
    wire.answer_event(data)
    wire.replies(data, [OWNERS])
    wire.codebook(data)
    wire.classification(body)
    try:
        wire.made(body, "a panel")
    except ServiceUnavailable:
        return


@given(st.dictionaries(st.sampled_from(sorted(answer("Mia", "8"))), anything))
def test_an_odd_answer_is_still_an_answer_or_left_out(odd: dict[str, Any]) -> None:
    result = output("?", {"Owners": [{**answer("Mia", "8"), **odd}]})

    assert [reply.group for reply in wire.replies(result, [OWNERS])] in ([], ["Owners"])


def test_an_answer_that_tells_a_name_gets_the_id_of_the_only_member_with_that_name() -> None:
    twins = Group("g", "Owners", (Member("1", "Mia"), Member("2", "Mia")))
    told = output("?", {"Owners": [answer("Mia", "8")]})

    ((one,), (either,)) = (wire.replies(told, [group]) for group in (OWNERS, twins))

    assert (one.persona_id, one.group_id) == (id_of("Mia"), id_of("Owners"))
    assert (either.persona_id, either.group_id) == (None, "g")


def test_an_answer_event_of_bare_text_is_a_reply() -> None:
    reply = wire.answer_event({**landed("Mia", "Owners", "8"), "answer": "Eight, I think."})

    assert reply is not None
    assert reply.message == "Eight, I think."


@pytest.mark.parametrize("scale", [[10, 1], [1], [1, 2, 3], ["1", "10"], None, [True, 5]])
def test_a_scale_that_is_none_is_not_taken(scale: Any) -> None:
    understood = wire.classification({"type": "scale", "scaleRange": scale})

    assert understood is not None
    assert understood.scale is None


@pytest.mark.parametrize(("kind", "most"), [("multiselect", 2), ("categorical", None)])
def test_how_many_may_be_chosen_is_of_several_choices(kind: str, most: int | None) -> None:
    told = {**output("?", {"Owners": [answer("Ben", "A; B")]}), "classification": {"type": kind, "most": 2}}
    question = AskedQuestion(id="q", text="?", type="qualitative")

    assert wire.answered(question, told, [OWNERS]).most == most


def test_the_result_of_a_question_keeps_those_who_are_not_in_it() -> None:
    (before,) = wire.replies(output("?", {"Owners": [answer("Ben", "3")]}), [OWNERS])
    question = AskedQuestion(id="q", text="?", type="scale", replies=(before,))

    after = wire.answered(question, output("?", {"Owners": [answer("Mia", "8")]}), [OWNERS])

    assert {reply.persona for reply in after.replies} == {"Mia", "Ben"}
    assert (after.type, after.scale, after.groups) == ("scale", (1, 10), ("Owners",))


def test_namesakes_who_were_told_by_id_and_then_by_name_count_once_each() -> None:
    twins = Group("1", "Twins", (Member("a", "Mia"), Member("b", "Mia")))
    landed = tuple(Reply("Mia", "Twins", identity, "1", value=value) for identity, value in ("a3", "b9"))
    question = AskedQuestion(id="q", text="?", type="scale", groups=("Twins",), replies=landed)

    after = wire.answered(question, output("?", {"Twins": [answer("Mia", "3"), answer("Mia", "9")]}), [twins])

    assert [reply.value for reply in after.replies] == ["3", "9"]


def test_two_groups_of_one_name_keep_their_members_apart() -> None:
    groups = [Group("1", "Same", (Member("a", "Mia"),)), Group("2", "Same", (Member("b", "Ben"),))]
    told = {**output("?", {}), "audiences": [
        {"audience": "Same", "answers": [answer("Mia", "3")]}, {"audience": "Same", "answers": [answer("Ben", "9")]},
    ]}  # fmt: skip

    found = wire.replies(told, groups)

    assert [(reply.group_id, reply.persona_id) for reply in found] == [("1", "a"), ("2", "b")]


@pytest.mark.parametrize(("messages", "questions"), [(0, 0), (1, 1), (2, 1), (3, 2)])
def test_a_question_and_its_answer_are_two_messages(messages: int, questions: int) -> None:
    assert study(summary("Pricing", audience("Owners", "Mia"), messages=messages)).questions == questions


def test_a_theme_that_was_merged_upstream_keeps_its_labels() -> None:
    codes = wire.codebook({"categoryCodebook": [{"label": "Price", "originalLabels": ["Cost", 7]}, {"label": None}]})

    assert [(code.label, code.original_labels) for code in codes] == [("Price", ("Cost",))]


def test_a_name_that_stands_in_for_the_discipline_is_told_once() -> None:
    assert wire.member({"id": "m", "name": "Amara", "discipline": "Amara"}) == Member("m", "Amara", None)
    said = wire.reply({"persona": "Amara", "discipline": "Amara", "value": "9"}, "Owners")
    assert said is not None
    assert said.discipline is None


def test_what_the_embedded_api_tells_of_an_answer_that_has_no_value_is_kept() -> None:
    told = {"persona": "Mia", "value": "", "rawValue": "7 or 8", "message": "It is 7 or 8.", "status": "uncoded"}
    unread = wire.reply(told, "Owners")
    silent = wire.reply({"persona": "Mia", "status": "failed", "errorCode": "unsupported"}, "Owners")

    assert unread is not None
    assert (unread.status, unread.value, unread.message) == ("uncoded", "7 or 8", "It is 7 or 8.")
    assert silent is not None
    assert (silent.status, silent.error) == ("declined", "unsupported")
