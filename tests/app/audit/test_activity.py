"""A person sees their own, newest first, a moment old or long written."""

import pytest
from sqlalchemy import URL
from sqlalchemy.ext.asyncio import AsyncEngine

from app.audit.activity import WORDS, AuditActivity
from app.audit.database import DatabaseSink
from app.database import open_engine
from mcp_server.audit.entries import Entry, Event
from mcp_server.audit.recorder import Recorder
from oauth.errors import StoreUnavailable
from tests.auditing import KEY
from tests.edge import within


async def test_what_is_written_and_what_is_not_yet_are_one_list(engine: AsyncEngine) -> None:
    recorder = Recorder([DatabaseSink(engine)], KEY)
    activity = AuditActivity(recorder, engine)
    activity.note("ada", "signed_in")
    activity.note("bob", "signed_in")
    activity.note("ada", "tokens_issued", "app")
    async with recorder.running():
        await within(recorder.settle())
        recorder.record(Entry(Event.TOOL_FAILURE, "failure", "ada", "app", tool="ask_panel", reason="not_found"))
        activity.note("ada", "key_created", "key", client_name="laptop")
        seen = await activity.latest("ada")
        latest = await activity.latest("ada", 1)
    written = await activity.latest("ada")

    assert [(each.event, each.client_id, each.outcome, each.client_name) for each in seen] == [
        ("key_created", "key", "ok", "laptop"),
        ("tool:ask_panel", "app", "not_found", None),
        ("signed_in", None, "ok", None),
    ]
    assert written == seen
    assert latest == seen[:2]


async def test_calls_push_out_nothing_but_older_calls(engine: AsyncEngine) -> None:
    recorder = Recorder([DatabaseSink(engine)], KEY)
    activity = AuditActivity(recorder, engine)
    for number in range(3):
        activity.note("ada", "signed_in", f"sign-in {number}")
    async with recorder.running():
        for number in range(6):
            recorder.record(Entry(Event.TOOL_SUCCESS, "ok", "ada", f"call {number}", tool="list_panels"))
            if number == 2:
                await within(recorder.settle())
        seen = await activity.latest("ada", 4)
    written = await activity.latest("ada", 4)

    assert [each.client_id for each in seen] == [
        *(f"call {number}" for number in (5, 4, 3, 2)),
        *(f"sign-in {number}" for number in (2, 1, 0)),
    ]
    assert written == seen


async def test_a_database_that_is_away_is_said_in_the_gatehouses_words(database: URL) -> None:
    engine = open_engine(database)
    with pytest.raises(StoreUnavailable):
        await AuditActivity(Recorder(), engine).latest("ada")
    await engine.dispose()


def test_no_two_words_are_one_event() -> None:
    assert len(set(WORDS.values())) == len(WORDS)
