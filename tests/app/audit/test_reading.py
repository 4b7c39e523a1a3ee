"""Both stores are read in order of time, whichever chain a row is of."""

from datetime import UTC, datetime
from pathlib import Path

from sqlalchemy.ext.asyncio import AsyncEngine

from app.audit.database import DatabaseSink
from app.audit.reading import from_files, from_table, latest_in_table, span
from mcp_server.audit.chain import Chain
from mcp_server.audit.entries import Entry, Event
from tests.auditing import KEY, written


async def test_two_chains_are_one_story(engine: AsyncEngine, tmp_path: Path) -> None:
    one, other = Chain("a", KEY), Chain("b", KEY)
    first = [one.add(Entry(Event.SIGN_IN, time=float(at))) for at in (1, 4, 5)]
    second = [other.add(Entry(Event.SIGN_OUT, time=float(at))) for at in (2, 3, 6)]
    for rows in (first, second):
        written(tmp_path, rows)
        await DatabaseSink(engine).write(rows)
    between = span(datetime.fromtimestamp(2, UTC), datetime.fromtimestamp(6, UTC))

    files = [(row.told["time"][18], row.hash) for row in from_files(tmp_path, *between)]
    table = [(row.told["time"][18], row.hash) async for row in from_table(engine, *between)]

    assert [at for at, _ in files] == ["2", "3", "4", "5"]
    assert table == files
    assert [row.told["time"][18] for row in await latest_in_table(engine, 2)] == ["5", "6"]
