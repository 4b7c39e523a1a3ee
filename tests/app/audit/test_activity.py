"""A person sees their own, newest first, a moment old or long written."""

from collections.abc import Collection

import pytest
from sqlalchemy import URL, text
from sqlalchemy.ext.asyncio import AsyncEngine

from app.audit.activity import EVENTS, WORDS, AuditActivity, query
from app.audit.database import DatabaseSink
from app.storage.engine import open_engine
from mcp_server.audit.entries import Entry, Event
from mcp_server.audit.recorder import Recorder
from oauth.activity import KINDS
from oauth.errors import StoreUnavailable, Unacceptable
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
    assert latest == seen[:1]


async def test_each_kind_is_read_apart_from_the_others(engine: AsyncEngine) -> None:
    recorder = Recorder([DatabaseSink(engine)], KEY)
    activity = AuditActivity(recorder, engine)
    activity.note("ada", "signed_in")
    recorder.record(Entry(Event.API_CHANGE, "ok", "ada", "key", tool="deleteMind"))
    for _ in range(3):
        recorder.record(Entry(Event.TOOL_SUCCESS, "ok", "ada", "app", tool="list_panels"))
    async with recorder.running():
        seen = [[each.event for each in await activity.latest("ada", 2, kinds=[kind])] for kind in KINDS]

    assert seen == [["tool:list_panels", "tool:list_panels"], ["api:deleteMind"], ["signed_in"]]


@pytest.mark.both_databases
async def test_page_by_page_everything_is_read_once(engine: AsyncEngine) -> None:
    recorders = [Recorder([DatabaseSink(engine)], KEY) for _ in range(2)]
    activity = AuditActivity(recorders[0], engine, lambda: 1_800_000_000.0)
    for number in range(4):  # at the same moment, in the chains of two processes
        activity.note("ada", "signed_in", str(number))
        recorders[1].record(Entry(Event.KEY_CREATED, subject="ada", client=f"key {number}", time=1_800_000_000.0))
    async with recorders[1].running(), recorders[0].running():
        await within(recorders[1].settle())
        everything = await activity.latest("ada")
        pages, before = [], None
        while page := await activity.latest("ada", 3, before=before):
            pages.append(page)
            before = page[-1].cursor

    assert [len(page) for page in pages] == [3, 3, 2]
    assert [each for page in pages for each in page] == everything


@pytest.mark.parametrize(
    "cursor", ["", "nonsense", "2026-11-20T09:00:00.000000Z~x~chain", f"2026-11-20T09:00:00.000000Z~{'9' * 30}~chain"]
)
async def test_what_is_no_cursor_is_refused(engine: AsyncEngine, cursor: str) -> None:
    with pytest.raises(Unacceptable):
        await AuditActivity(Recorder(), engine).latest("ada", before=cursor)


@pytest.mark.both_databases
@pytest.mark.parametrize("before", [None, "2026-11-20T09:00:00.000000Z~5~chain"])
@pytest.mark.parametrize("events", EVENTS.values(), ids=EVENTS.keys())
async def test_what_is_shown_is_found_by_the_index_of_account_and_event(
    engine: AsyncEngine, events: Collection[str], before: str | None
) -> None:
    is_sqlite = engine.dialect.name == "sqlite"
    asked = query("ada", events, 50, before).compile(engine, compile_kwargs={"literal_binds": True})

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
