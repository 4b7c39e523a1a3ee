"""The messages of a panel are its questions, whether or not the internal API tells which answer belongs to which."""

from datetime import datetime, timedelta
from typing import Any

import pytest
from hypothesis import given

from mcp_server.toolsets.panels._minds.transcript import ABANDONED, Entry, entries, was_lost
from mcp_server.toolsets.panels._study import Group, Member
from tests.mcp_server.toolsets.panels.world import CREATED_AT, answer, asked, id_of, output, told
from tests.mcp_server.toolsets.personas.test_answers import anything

GROUPS = [
    Group(id_of("Owners"), "Owners", (Member(id_of("Mia"), "Mia"), Member(id_of("Ben"), "Ben"))),
    Group(id_of("Guests"), "Guests", (Member(id_of("Zoe"), "Zoe"),)),
]
NOW = datetime.fromisoformat(CREATED_AT) + timedelta(seconds=30)
RESULT = output("Why?", {"Owners": [answer("Mia", "8"), answer("Ben", "6")], "Guests": [answer("Zoe", "2")]})


def read(*messages: dict[str, Any], now: datetime = NOW) -> list[Entry]:
    return entries({"messages": list(messages)}, GROUPS, now)


@given(anything)
def test_no_message_breaks_the_reader(message: Any) -> None:
    read(message, {"role": "user", "id": "1", "content": message}, {"role": "assistant", "metadata": message})


def test_an_answer_belongs_to_the_question_before_it() -> None:
    (entry,) = read(asked("Why?"), told("Why?", RESULT))

    assert (entry.asked.status, len(entry.asked.replies), entry.is_whole) == ("completed", 3, True)
    assert entry.message_id == id_of("told Why?")


@pytest.mark.parametrize(
    "messages",
    [
        [
            asked("Why?", questionBlockId="1"),
            asked("How?", questionBlockId="2"),
            told("x", RESULT, questionBlockId="1"),
        ],
        [asked("Why?"), asked("How?"), told("Why?", RESULT, questionBlockId="1")],
        [asked("why?"), asked("How?"), told("x", RESULT)],
    ],
    ids=["its id", "its words, where the question has no id", "its words, where neither has one"],
)
def test_of_two_questions_that_wait_the_answer_finds_its_own(messages: list[dict[str, Any]]) -> None:
    first, second = read(*messages)

    assert (first.asked.status, second.asked.status) == ("completed", "processing")
    assert "questionBlockId" not in messages[2]["metadata"] or "1" in first.ids


def test_a_question_is_known_by_every_id_that_it_has() -> None:
    (entry,) = read(
        asked("Why?", questionBlockId="block", clientRequestId="request"), told("Why?", RESULT, questionBlockId="block")
    )

    assert entry.asked.id == "request"
    assert entry.ids == {"request", "block", id_of("asked Why?"), id_of("told Why?")}


def test_before_there_is_an_answer_everybody_is_waited_for() -> None:
    (entry,) = read(asked("Why?", status="running", total=3))

    assert [reply.status for reply in entry.asked.replies] == ["pending"] * 3
    assert not entry.is_whole


@pytest.mark.parametrize(
    ("metadata", "age", "status"),
    [
        ({}, timedelta(seconds=1), "processing"),
        ({}, ABANDONED, "failed"),
        ({"status": "queued"}, timedelta(days=999), "processing"),
        ({"status": "failed"}, timedelta(seconds=1), "failed"),
    ],
)
def test_a_question_of_which_nothing_is_told_is_not_waited_for_for_ever(
    metadata: dict[str, str], age: timedelta, status: str
) -> None:
    (entry,) = read(asked("Why?", **metadata), now=datetime.fromisoformat(CREATED_AT) + age)

    assert (entry.asked.status, entry.is_silent) == (status, not metadata)


@pytest.mark.parametrize(
    ("began", "age", "is_lost"),
    [(-1, 0, False), (0, 0, False), (1, 0, True), (9, 0, True), (10, 0, False), (1, 900, False)],
)
def test_an_answer_is_lost_whose_question_an_earlier_process_had_asked(began: int, age: int, *, is_lost: bool) -> None:
    asked_at, second = datetime.fromisoformat(CREATED_AT), timedelta(seconds=1)
    ended = asked_at + 10 * second
    (entry,) = read(asked("Why?"), {**told("Why?", RESULT), "createdAt": ended.isoformat()})

    assert was_lost(entry, asked_at + began * second, ended + age * second) is is_lost


@pytest.mark.parametrize("stamp", [None, 7, "yesterday", "2026-11-20T09:00:10"])
def test_an_answer_whose_time_is_not_known_is_not_taken_for_a_lost_one(stamp: object) -> None:
    (entry,) = read(asked("Why?"), {**told("Why?", RESULT), "createdAt": stamp})

    assert not was_lost(entry, datetime.fromisoformat(CREATED_AT) + timedelta(seconds=1), NOW)


def test_an_answer_whose_question_is_not_told_is_a_question_by_its_title() -> None:
    (entry,) = read(told("Why?", RESULT))

    assert (entry.asked.text, entry.asked.status, len(entry.asked.replies)) == ("Why?", "completed", 3)
    assert entry.asked.id == entry.message_id == id_of("told Why?")


def test_an_answer_is_never_put_to_a_question_that_names_itself_otherwise() -> None:
    first, second = read(asked("Why?", questionBlockId="two"), told("Why?", RESULT, questionBlockId="one"))

    assert (first.asked.status, second.asked.status) == ("processing", "completed")


def test_where_nobody_tells_who_was_asked_the_groups_in_the_answer_were() -> None:
    subset = output("Why?", {"Guests": [answer("Zoe", "2")]})

    (entry,) = read(asked("Why?"), told("Why?", subset))

    assert (entry.asked.groups, entry.members, entry.is_whole) == (("Guests",), 1, True)
