"""The one database: SQLite in the data directory by default, PostgreSQL by `DATABASE_URL`."""

import asyncio
from pathlib import Path
from typing import Any

from sqlalchemy import event, make_url
from sqlalchemy.engine import URL
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine
from sqlalchemy.util.concurrency import in_greenlet

from app.patient_postgres import CONNECT_SECONDS, PatientConnection

SQLITE_PRAGMAS = (
    "PRAGMA journal_mode=WAL",  # readers never wait for the writer
    "PRAGMA synchronous=FULL",  # an acknowledged write survives a power cut
    "PRAGMA busy_timeout=5000",  # a second process waits its turn instead of failing
    "PRAGMA foreign_keys=ON",
)


def database_url(configured: str | None, data_dir: Path) -> URL:
    """The SQLAlchemy URL, with the asyncio driver that this project ships.

    Raises:
        ValueError: `configured` names a database that is neither SQLite nor PostgreSQL.

    """
    if not configured:
        return URL.create("sqlite+aiosqlite", database=str(data_dir / "gateway.sqlite3"))
    url = make_url(configured)
    match url.get_backend_name():
        case "sqlite":
            return url.set(drivername="sqlite+aiosqlite")
        case "postgresql" | "postgres":
            return url.set(drivername="postgresql+psycopg")
        case other:
            message = f"DATABASE_URL: {other} is not supported; use sqlite:///… or postgresql://…"
            raise ValueError(message)


def open_engine(url: URL) -> AsyncEngine:
    """A pooled asyncio engine; nothing is connected until the first statement.

    Parameters are left out of error texts: among them are digests and password hashes.
    """
    if url.get_backend_name() == "sqlite":
        if url.database:
            _own_folder(Path(url.database).parent)
        engine = create_async_engine(url, hide_parameters=True)
        engine.sync_engine.dialect.do_terminate = _close_aside  # type: ignore[method-assign]  # see there
        event.listen(engine.sync_engine, "connect", _prepare_sqlite)
        event.listen(engine.sync_engine, "begin", _begin_immediate)
        return engine
    patient = {"connect_timeout": CONNECT_SECONDS} | dict(url.query) | {"async_creator_fn": PatientConnection.connect}
    return create_async_engine(
        url, pool_size=10, max_overflow=10, pool_pre_ping=True, hide_parameters=True, connect_args=patient
    )


def _own_folder(folder: Path) -> None:
    # The file holds password hashes. A folder that is already there keeps the rights its owner gave it.
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)


def _prepare_sqlite(connection: Any, _record: Any) -> None:
    # The driver's own transaction handling would begin late and deferred; `_begin_immediate` does it instead.
    connection.isolation_level = None
    cursor = connection.cursor()
    for pragma in SQLITE_PRAGMAS:
        cursor.execute(pragma)
    cursor.close()


def _close_aside(dbapi_connection: Any) -> None:
    # What a cancelled statement leaves behind is closed in a task of its own, as SQLAlchemy does it. But where
    # SQLAlchemy stops the connection's thread when a second cancellation comes, so that this task waits for
    # ever and with it the end of the process, here it is left to finish.
    driver = dbapi_connection.driver_connection
    if in_greenlet():
        dbapi_connection.run_async(lambda _driver: asyncio.shield(_roll_back_and_close(driver)))
    else:
        driver.stop()


async def _roll_back_and_close(driver: Any) -> None:
    # Closing alone keeps the write lock for as long as a half-read SELECT of the connection is referenced,
    # which the traceback of a cancellation does until the garbage collector comes: every writer would fail.
    try:
        await driver.rollback()
    finally:
        await driver.close()


def _begin_immediate(connection: Any) -> None:
    # A deferred transaction that reads first and writes later fails with "database is locked" at once,
    # without waiting for busy_timeout; taking the write lock at the start makes two writers queue.
    options = connection.get_execution_options()
    connection.exec_driver_sql("BEGIN" if options.get("read_only") else "BEGIN IMMEDIATE")
