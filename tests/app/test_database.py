"""One address in, the right engine out; and on SQLite two writers queue instead of failing."""

import asyncio
from pathlib import Path

import anyio
import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from app.database import database_url, open_engine
from tests.edge import PATIENCE


@pytest.mark.parametrize(
    ("configured", "driver"),
    [
        ("postgresql://u:p@db/minds", "postgresql+psycopg"),
        ("postgresql+asyncpg://u:p@db/minds", "postgresql+psycopg"),
        ("sqlite:///minds.sqlite3", "sqlite+aiosqlite"),
    ],
)
def test_a_configured_address_gets_the_driver_that_is_shipped(configured: str, driver: str) -> None:
    assert database_url(configured, Path("var")).drivername == driver


def test_without_a_configured_address_the_database_is_a_file_in_the_data_directory() -> None:
    url = database_url(None, Path("var"))

    assert (url.drivername, url.database) == ("sqlite+aiosqlite", "var/gateway.sqlite3")


def test_an_unknown_kind_of_database_is_refused() -> None:
    with pytest.raises(ValueError, match="mysql"):
        database_url("mysql://db/minds", Path("var"))


async def test_writers_that_read_first_queue_and_lose_nothing(engine: AsyncEngine) -> None:
    async with engine.begin() as connection:
        await connection.execute(text("CREATE TABLE counter (n INTEGER NOT NULL)"))
        await connection.execute(text("INSERT INTO counter VALUES (0)"))

    async def add_one() -> None:
        async with engine.begin() as connection:
            await connection.execute(text("SELECT n FROM counter"))
            await connection.execute(text("UPDATE counter SET n = n + 1"))

    await asyncio.gather(*(add_one() for _ in range(20)))

    async with engine.connect() as connection:
        assert (await connection.execute(text("SELECT n FROM counter"))).scalar_one() == 20


async def test_a_reader_marked_read_only_is_not_held_up_by_a_writer(engine: AsyncEngine) -> None:
    reader = engine.execution_options(read_only=True)

    async with engine.begin() as connection:
        await connection.execute(text("CREATE TABLE held (n INTEGER)"))
        async with asyncio.timeout(3), reader.connect() as other:
            seen = (await other.execute(text("SELECT 1"))).scalar_one()

    assert seen == 1


SLOW = text(
    "WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 2000000) "
    "SELECT count(*) FROM numbers"
)


async def test_a_statement_that_is_cancelled_leaves_nothing_that_waits_for_ever(tmp_path: Path) -> None:
    engine = open_engine(database_url(None, tmp_path))
    begun = asyncio.Event()

    async def ask() -> None:
        async with engine.connect() as connection:
            begun.set()
            await connection.execute(SLOW)

    async with anyio.create_task_group() as tasks:  # which cancels again until the task gives in
        tasks.start_soon(ask)
        await begun.wait()
        await asyncio.sleep(0)
        tasks.cancel_scope.cancel()
    left = {task for task in asyncio.all_tasks() if "aiosqlite" in repr(task)}
    for task in left:
        task.cancel()
    if left:
        await asyncio.wait(left, timeout=PATIENCE)
    await engine.dispose()

    assert [task for task in left if not task.done()] == []


async def test_a_connection_given_up_in_the_middle_of_a_result_leaves_no_lock_behind(tmp_path: Path) -> None:
    engine = open_engine(database_url(None, tmp_path))
    try:
        async with engine.begin() as connection:
            await connection.execute(text("CREATE TABLE counter (n INTEGER NOT NULL)"))
            await connection.execute(text("INSERT INTO counter VALUES (1), (2)"))
        async with engine.connect() as connection:
            await connection.begin()
            driver = (await connection.get_raw_connection()).driver_connection
            assert driver is not None
            half_read = await driver.execute("SELECT n FROM counter")
            await connection.invalidate()
        async with engine.begin() as connection:
            await connection.execute(text("UPDATE counter SET n = n + 1"))
        assert half_read is not None
    finally:
        await engine.dispose()
