"""The schema is brought up to date once, whoever asks, and matches what the code believes."""

import asyncio
import socket
import sys
from pathlib import Path

import pytest
from sqlalchemy import URL, Connection, inspect
from sqlalchemy.ext.asyncio import AsyncEngine

from app.audit.database import metadata as audit
from app.internal_api.store.questions import questions
from app.storage import migrate as migrations
from app.storage.engine import database_url, open_engine
from app.storage.migrate import bring_up_to_date, upgrade
from tests.edge import within

pytestmark = pytest.mark.both_databases

UPGRADE = """
import asyncio
import sys
from sqlalchemy import make_url
from app.storage.engine import open_engine
from app.storage.migrate import upgrade
asyncio.run(upgrade(open_engine(make_url(sys.argv[1]))))
"""


def _columns(connection: Connection) -> dict[str, set[str]]:
    inspector = inspect(connection)
    return {table: {column["name"] for column in inspector.get_columns(table)} for table in inspector.get_table_names()}


async def test_the_migrated_tables_have_the_columns_that_the_code_names(engine: AsyncEngine) -> None:
    async with engine.connect() as connection:
        found = await connection.run_sync(_columns)

    metadata = questions.metadata
    for table in metadata.tables.values():
        assert set(table.columns.keys()) <= found[table.name]
    assert found["knowledge_chunks"] - set(metadata.tables["knowledge_chunks"].columns.keys()) <= {"search"}


def _indexes(connection: Connection) -> set[str | None]:
    return {index["name"] for table in audit.tables for index in inspect(connection).get_indexes(table)}


async def test_the_audit_log_has_the_indexes_that_the_code_names_and_pays_for_no_other(engine: AsyncEngine) -> None:
    async with engine.connect() as connection:
        found = await connection.run_sync(_indexes)

    assert found == {index.name for table in audit.tables.values() for index in table.indexes}


async def test_upgrading_twice_changes_nothing(engine: AsyncEngine) -> None:
    async with engine.connect() as connection:
        before = await connection.run_sync(_columns)

    await upgrade(engine)

    async with engine.connect() as connection:
        assert await connection.run_sync(_columns) == before


@pytest.mark.slow
async def test_processes_that_start_together_upgrade_once(database: URL) -> None:
    address = database.render_as_string(hide_password=False)
    processes = [await asyncio.create_subprocess_exec(sys.executable, "-c", UPGRADE, address) for _ in range(3)]

    codes = [await asyncio.wait_for(process.wait(), 60) for process in processes]

    engine = open_engine(database)
    async with engine.connect() as connection:
        assert "minds" in await connection.run_sync(_columns)
    await engine.dispose()
    assert codes == [0, 0, 0]


async def test_a_database_is_brought_up_to_date_by_its_address(database: URL) -> None:
    await bring_up_to_date(database)

    engine = open_engine(database)
    async with engine.connect() as connection:
        assert "minds" in await connection.run_sync(_columns)
    await engine.dispose()


async def test_a_server_that_says_nothing_is_not_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(migrations, "CONNECT_SECONDS", 0.2)
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        url = database_url(f"postgresql://ada@127.0.0.1:{silent.getsockname()[1]}/minds", tmp_path)

        with pytest.raises(TimeoutError):
            await within(bring_up_to_date(url))
