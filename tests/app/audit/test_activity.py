"""A person sees their own, newest first, a moment old or long written."""

from collections.abc import Collection

import pytest
from sqlalchemy import URL, text
from sqlalchemy.ext.asyncio import AsyncEngine

from app.audit.activity import KINDS, WORDS, AuditActivity, query
from app.audit.database import DatabaseSink
from app.storage.engine import open_engine
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
    recorder.record(Entry(Event.API_CHANGE, "ok", "ada", "key", tool="deleteMind"))
    async with recorder.running():
        for number in range(6):
            recorder.record(Entry(Event.TOOL_SUCCESS, "ok", "ada", f"call {number}", tool="list_panels"))
            if number == 2:
                await within(recorder.settle())
        seen = await activity.latest("ada", 4)
    written = await activity.latest("ada", 4)

    assert [each.client_id for each in seen] == [
        *(f"call {number}" for number in (5, 4, 3, 2)),
        "key",
        *(f"sign-in {number}" for number in (2, 1, 0)),
    ]
    assert seen[4].event == "api:deleteMind"
    assert written == seen


@pytest.mark.parametrize("events", KINDS, ids=("calls", "changes", "all else"))
async def test_what_is_shown_is_found_by_the_index_of_account_and_event(
    engine: AsyncEngine, events: Collection[str]
) -> None:
    is_sqlite = engine.dialect.name == "sqlite"
    asked = query("ada", events, 50).compile(engine, compile_kwargs={"literal_binds": True})

    async with engine.connect() as connection:
        if not is_sqlite:  # of a table that is empty it would read everything
            await connection.execute(text("SET LOCAL enable_seqscan = off"))
        plan = (await connection.execute(text(f"EXPLAIN {'QUERY PLAN' if is_sqlite else ''} {asked}"))).all()

    looked_up = [str(line) for line in plan if "ix_audit_rows_" in str(line) or "SCAN audit_rows" in str(line)]
    assert len(looked_up) == len(events)
    assert all("ix_audit_rows_subject_event_time" in line for line in looked_up)


async def test_a_database_that_is_away_is_said_in_the_gatehouses_words(database: URL) -> None:
    engine = open_engine(database)
    with pytest.raises(StoreUnavailable):
        await AuditActivity(Recorder(), engine).latest("ada")
    await engine.dispose()


def test_no_two_words_are_one_event() -> None:
    assert len(set(WORDS.values())) == len(WORDS)
