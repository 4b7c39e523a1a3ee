"""An ask job notes the events of its stream, and says in the end who answered and who did not."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given

from mcp_server.toolset import discover
from mcp_server.toolsets.panels._ask.job import AskJob
from mcp_server.toolsets.panels._minds.studies import Studies
from mcp_server.toolsets.panels._study import Group, Member
from tests.mcp_server.toolsets.panels.world import SCALE, answer, audience, id_of, landed, output, study
from tests.mcp_server.toolsets.personas.test_answers import anything
from tests.support import ADA, FakeApi, serve, signed_in

QUESTION = "How likely?"
REQUEST = id_of("request")
ID = id_of("Pricing")
ASK, READ = f"POST /studies/{ID}/ask", f"GET /studies/{ID}"
GROUPS = (
    Group(id_of("Owners"), "Owners", (Member(id_of("Mia"), "Mia"), Member(id_of("Ben"), "Ben"))),
    Group(id_of("Guests"), "Guests", (Member(id_of("Zoe"), "Zoe"),)),
)
PANEL = study("Pricing", audience("Owners", "Mia", "Ben"), audience("Guests", "Zoe"))
RESULT = output(QUESTION, {"Owners": [answer("Mia", "9"), answer("Ben", "8")], "Guests": [answer("Zoe", "2")]})


def new_job(**more: Any) -> AskJob:
    return AskJob(ID, {"question": QUESTION, "clientRequestId": REQUEST}, GROUPS, **more)


async def no_pause(_seconds: float) -> None:
    """Tests do not wait."""


@asynccontextmanager
async def studies(api: FakeApi) -> AsyncIterator[Studies]:
    with signed_in(ADA):
        async with serve(api, discover(["panels"])) as gateway:
            now = datetime(2026, 11, 20, 9, 1, tzinfo=UTC)
            yield Studies(gateway.runtime.api, gateway.runtime.names, now=lambda: now)


@given(anything)
def test_no_event_breaks_it(event: Any) -> None:
    one = new_job()

    one.record(event if isinstance(event, dict) else {})
    one.record({"type": "answer", "answer": event, "mindName": event, "audienceName": event})
    one.record({"type": "classification", "classification": event})
    one.record({"type": "result", "outputData": event})

    assert one.over
    assert one.question().status == "completed"


def test_an_answer_without_ids_takes_the_place_of_the_member_of_that_name() -> None:
    one = new_job()

    one.record({"type": "answer", "mindName": "Mia", "audienceName": "Owners", "answer": answer("Mia", "9")})

    assert (one.done, len(one.question().replies)) == (1, 3)


async def test_following_ends_when_the_time_is_up() -> None:
    seen = [None async for _ in new_job().changes(0.01)]

    assert seen == []


MIA, BEN, ZOE = ("Mia", "answered"), ("Ben", "answered"), ("Zoe", "failed")


@pytest.mark.parametrize(
    ("asked", "answering", "replies", "note"),
    [(3, ["Mia", "Ben"], [MIA, BEN, ZOE], ""), (2, ["Mia", "Ben"], [MIA, BEN], ""), (2, ["Mia"], [MIA], "1 of the 2")],
    ids=["asked and silent", "not asked", "it cannot be told who is silent"],
)
def test_who_was_asked_and_is_not_in_the_result_has_failed(
    asked: int, answering: list[str], replies: list[tuple[str, str]], note: str
) -> None:
    one = new_job()
    one.record({"type": "start", "total": asked})

    one.record({"type": "result", "outputData": output(QUESTION, {"Owners": [answer(who, "9") for who in answering]})})

    assert [(reply.persona, reply.status) for reply in one.question().replies] == replies
    assert note in "".join(one.question().notes)
    assert bool(one.question().notes) is bool(note)


def test_nobody_is_waited_for_after_a_failure() -> None:
    one = new_job()
    one.record(landed("Mia", "Owners", "9"))

    one.record({"type": "error", "status": 500, "message": "a sentence of the upstream"})

    assert sorted(reply.status for reply in one.question().replies) == ["answered", "failed", "failed"]
    assert (one.done, one.abandoned) == (1, True)


@pytest.mark.parametrize(
    ("wanted", "noted"),
    [({"type": "qualitative"}, True), ({"type": "scale", "scaleRange": [1, 5]}, True), (SCALE, False)],
)
def test_a_wish_that_was_not_followed_is_noted(wanted: dict[str, Any], noted: bool) -> None:
    body = {"question": QUESTION, "clientRequestId": REQUEST, "classification": wanted}
    one = AskJob(ID, body, GROUPS)

    one.record({"type": "result", "outputData": RESULT})

    assert bool(one.question().notes) is noted
