"""One address in, the right engine out; and on SQLite two writers queue instead of failing."""

import asyncio
import os
import sqlite3
from pathlib import Path

import anyio
import psycopg
import pytest
from sqlalchemy import text
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncEngine

from app.storage.engine import database_url, is_passing, open_engine
from tests.edge import PATIENCE

pytestmark = pytest.mark.both_databases


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


@pytest.mark.parametrize(
    ("fault", "passes"),
    [
        (TimeoutError(), True),
        (psycopg.OperationalError("connection failed: Connection refused"), True),
        (psycopg.OperationalError("failed to resolve host 'db'"), True),
        (psycopg.OperationalError("connection failed: FATAL:  the database system is starting up"), True),
        (psycopg.OperationalError("connection failed: FATAL:  sorry, too many clients already"), True),
        (psycopg.OperationalError('connection failed: FATAL:  database "x" does not exist'), False),
        (psycopg.errors.AdminShutdown("terminating connection"), True),
        (psycopg.errors.DiskFull("no space left on device"), False),
        (sqlite3.OperationalError("database is locked"), True),
        (sqlite3.OperationalError("unable to open database file"), False),
        (sqlite3.DatabaseError("database disk image is malformed"), False),
        (PermissionError("no"), False),
    ],
)
def test_a_fault_passes_by_itself_unless_the_database_said_what_it_does_not_like(
    fault: Exception, passes: bool
) -> None:
    wrapped = SQLAlchemyError()
    wrapped.orig = fault  # type: ignore[attr-defined]  # as the errors of drivers have it

    assert is_passing(fault) is passes
    assert isinstance(fault, TimeoutError) or is_passing(wrapped) is passes


@pytest.mark.security("FI-10")
@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
async def test_an_acknowledged_write_waits_for_the_disk(engine: AsyncEngine) -> None:
    """SQLite in WAL mode loses commits in a power cut at NORMAL (1), and none at FULL (2): sqlite.org/pragma.html."""
    async with engine.connect() as connection:
        level = (await connection.execute(text("PRAGMA synchronous"))).scalar_one()
        mode = (await connection.execute(text("PRAGMA journal_mode"))).scalar_one()

    assert (level, mode) == (2, "wal")


@pytest.mark.security("FI-10")
@pytest.mark.parametrize("database", ["postgresql"], indirect=True)
async def test_no_connection_asks_postgresql_to_wait_for_less_than_it_was_set_to(engine: AsyncEngine) -> None:
    query = "SELECT setting = reset_val AND source <> 'session' FROM pg_settings WHERE name = 'synchronous_commit'"

    async with engine.connect() as connection:
        assert (await connection.execute(text(query))).scalar_one() is True


async def test_the_file_and_its_journal_are_for_the_owner_alone_whatever_the_umask(tmp_path: Path) -> None:
    before = os.umask(0o022)
    engine = open_engine(database_url(None, tmp_path / "var"))
    try:
        async with engine.begin() as connection:
            await connection.execute(text("CREATE TABLE kept (n INTEGER)"))
            modes = {path.name: path.stat().st_mode & 0o777 for path in (tmp_path / "var").iterdir()}
    finally:
        os.umask(before)
        await engine.dispose()

    assert modes == {f"gateway.sqlite3{end}": 0o600 for end in ("", "-wal", "-shm")}
    assert (tmp_path / "var").stat().st_mode & 0o777 == 0o700


async def test_a_file_that_is_there_keeps_what_it_holds_and_its_rights(tmp_path: Path) -> None:
    (tmp_path / "gateway.sqlite3").touch(0o640)
    (tmp_path / "gateway.sqlite3").chmod(0o640)
    for _ in range(2):
        engine = open_engine(database_url(None, tmp_path))
        async with engine.begin() as connection:
            await connection.execute(text("CREATE TABLE IF NOT EXISTS kept (n INTEGER)"))
        await engine.dispose()

    assert (tmp_path / "gateway.sqlite3").stat().st_mode & 0o777 == 0o640
