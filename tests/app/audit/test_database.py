"""FI-23 in the table, on SQLite and PostgreSQL: the same chain, the same findings."""

import asyncio
from pathlib import Path

import pytest
from sqlalchemy import delete, func, select, update
from sqlalchemy.ext.asyncio import AsyncEngine

from app.audit import database
from app.audit.database import PAGE, DatabaseSink, audit_chains, audit_rows, verify_table
from app.storage.engine import database_url, open_engine
from mcp_server.audit.chain import Chain
from mcp_server.audit.entries import Entry, Event
from mcp_server.audit.sinks import SinkFailed
from mcp_server.audit.verifying import Controls, Report
from oauth.stores import base
from tests.auditing import KEY, NAME, begun, call, log_of

pytestmark = pytest.mark.both_databases


async def verified(engine: AsyncEngine) -> Report:
    return await verify_table(engine, Controls([KEY]))


async def test_rows_that_are_written_twice_stand_once(engine: AsyncEngine) -> None:
    rows, sink = list(log_of(5)), DatabaseSink(engine)
    await sink.write(rows[:4])
    with pytest.raises(SinkFailed):  # nobody heard of it, so they come again; what is there is not believed at once
        await sink.write(rows[:4])
    for batch in (rows[:4], rows[4:]):
        await sink.write(batch)

    report = await verified(engine)

    assert (report.rows, report.faults) == (7, [])


@pytest.mark.security("FI-23")
@pytest.mark.parametrize("column", ["row", "hash", "subject", "time", "event"])
async def test_a_changed_column_is_found(engine: AsyncEngine, column: str) -> None:
    await DatabaseSink(engine).write(list(log_of(5)))
    harmed = {"row": '{"chain":"x","seq":3}', "hash": "0" * 64, "subject": "eve", "time": "2000", "event": "signIn"}
    async with engine.begin() as connection:
        await connection.execute(update(audit_rows).where(audit_rows.c.seq == 3).values({column: harmed[column]}))

    (fault,) = (await verified(engine)).faults

    assert (fault.kind, fault.seq) == ("altered", 3)


@pytest.mark.security("FI-23")
async def test_one_fault_in_many_rows_is_named(engine: AsyncEngine) -> None:
    """More than are read at once. The log of a hundred thousand is that of `mcp_server/audit/test_verifying.py`."""
    rows = list(log_of(2 * PAGE))
    await DatabaseSink(engine).write(rows)
    at = audit_rows.c.seq
    assert (await verified(engine)).faults == []

    async with engine.begin() as connection:
        body = rows[2_400].body.decode().replace('"ada"', '"eve"')
        await connection.execute(update(audit_rows).where(at == 2_400).values(row=body))
        await connection.execute(delete(audit_rows).where(at == 2_600))
        for old, new in ((2_800, -1), (2_801, 2_800), (-1, 2_801)):
            await connection.execute(update(audit_rows).where(at == old).values(seq=new))
    found = [(fault.kind, fault.place.rpartition("#")[2]) for fault in (await verified(engine)).faults]

    assert found[:2] == [("altered", "2400"), ("missing", "2601")]
    assert ("reordered", "2800") in found


async def test_the_last_row_of_each_chain_is_known_to_others(engine: AsyncEngine) -> None:
    chain = Chain(NAME, KEY)
    rows = [begun(chain), chain.add(call())]
    await DatabaseSink(engine).write(rows)

    heads = await DatabaseSink(engine).heads()

    assert {name: (head.seq, head.hash) for name, head in heads.items()} == {NAME: (1, rows[-1].hash)}


async def test_old_rows_go_up_to_what_was_announced_a_few_at_a_time(
    engine: AsyncEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "PAGE", 2)
    chain, sink = Chain(NAME, KEY), DatabaseSink(engine)
    await sink.write([chain.add(Entry(Event.SIGN_IN, subject="ada", time=float(at))) for at in range(10)])

    cuts = await sink.expired(5.0)
    left = [await sink.drop(cuts) for _ in range(3)]

    assert left == [True, True, False]
    assert cuts[NAME].seq == 4
    async with engine.connect() as connection:
        assert (await connection.execute(select(func.min(audit_rows.c.seq)))).scalar() == 5
        assert (await connection.execute(select(func.count()).select_from(audit_chains))).scalar() == 1


async def test_a_database_without_its_tables_fails_as_a_sink_and_quotes_nothing(tmp_path: Path) -> None:
    engine = open_engine(database_url(None, tmp_path))
    with pytest.raises(SinkFailed) as caught:
        await DatabaseSink(engine).write(list(log_of(1)))
    await engine.dispose()

    assert "ada" not in str(caught.value)


async def test_a_frozen_database_is_given_up(engine: AsyncEngine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(base, "PATIENCE", 0.05)
    with pytest.raises(SinkFailed, match="no answer"):
        async with database.answering():
            await asyncio.Event().wait()
