"""The messages of a panel are its questions, whether or not the internal API tells which answer belongs to which."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given

from mcp_server.toolsets.panels._minds.transcript import ABANDONED, Entry, entries
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


def test_an_answer_that_names_its_question_belongs_to_that_one() -> None:
    first, second = read(
        asked("Why?", questionBlockId="one"),
        asked("How?", questionBlockId="two"),
        told("x", RESULT, questionBlockId="one"),
    )

    assert (first.asked.status, second.asked.status) == ("completed", "processing")


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
    ("age", "status"), [(timedelta(seconds=1), "processing"), (ABANDONED + timedelta(seconds=1), "failed")]
)
def test_a_question_of_which_nothing_is_told_is_not_waited_for_for_ever(age: timedelta, status: str) -> None:
    (entry,) = read(asked("Why?"), now=datetime.fromisoformat(CREATED_AT) + age)

    assert entry.asked.status == status


def test_a_question_that_is_said_to_run_is_waited_for_whatever_its_age() -> None:
    (entry,) = read(asked("Why?", status="queued"), now=datetime(2030, 1, 1, tzinfo=UTC))

    assert entry.asked.status == "processing"


def test_an_answer_whose_question_is_not_told_is_a_question_by_its_title() -> None:
    (entry,) = read(told("Why?", RESULT))

    assert (entry.asked.text, entry.asked.status, len(entry.asked.replies)) == ("Why?", "completed", 3)
    assert entry.asked.id == entry.message_id == id_of("told Why?")


def test_an_answer_that_names_a_question_which_does_not_name_itself_is_found_by_its_words() -> None:
    first, second = read(asked("Why?"), asked("How?"), told("Why?", RESULT, questionBlockId="one"))

    assert (first.asked.status, second.asked.status) == ("completed", "processing")
    assert "one" in first.ids


def test_an_answer_is_never_put_to_a_question_that_names_itself_otherwise() -> None:
    first, second = read(asked("Why?", questionBlockId="two"), told("Why?", RESULT, questionBlockId="one"))

    assert (first.asked.status, second.asked.status) == ("processing", "completed")


def test_of_two_questions_that_wait_the_answer_finds_the_one_of_its_words() -> None:
    first, second = read(asked("why?"), asked("How?"), told("x", RESULT))

    assert (first.asked.status, second.asked.status) == ("completed", "processing")


def test_where_nobody_tells_who_was_asked_the_groups_in_the_answer_were() -> None:
    subset = output("Why?", {"Guests": [answer("Zoe", "2")]})

    (entry,) = read(asked("Why?"), told("Why?", subset))

    assert (entry.asked.groups, entry.members, entry.is_whole) == (("Guests",), 1, True)


def test_a_question_whose_age_alone_speaks_against_it_is_a_silent_one() -> None:
    (silent,), (said,) = (read(asked("Why?", **more), now=NOW + ABANDONED) for more in ({}, {"status": "failed"}))

    assert (silent.asked.status, silent.is_silent) == ("failed", True)
    assert (said.asked.status, said.is_silent) == ("failed", False)
