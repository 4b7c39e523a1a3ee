"""The one database: SQLite in the data directory by default, PostgreSQL by `DATABASE_URL`."""

import contextlib
import os
import sqlite3
import sys
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

from sqlalchemy import event, make_url
from sqlalchemy.engine import URL
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from app.storage.drivers import ThreadedEngine

PASSING_STATES = ("08", "57P", "53300")
"""SQLSTATEs (PostgreSQL, appendix A): connection exceptions, shutdown and start, too many connections."""

CONNECT_SECONDS, POOL_SECONDS = 3, 3.0
"""How long one try to connect to PostgreSQL takes, and how long a connection of the pool is waited for."""

SQLITE_PRAGMAS = (
    "PRAGMA journal_mode=WAL",  # readers never wait for the writer
    "PRAGMA synchronous=FULL",  # an acknowledged write survives a power cut
    "PRAGMA busy_timeout=5000",  # a second process waits its turn instead of failing
    "PRAGMA foreign_keys=ON",
)


def database_url(configured: str | None, data_dir: Path) -> URL:
    """The SQLAlchemy URL, with the asyncio driver that this project ships.

    Raises `ValueError`: `configured` names a database that is neither SQLite nor PostgreSQL.
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


def is_passing(fault: BaseException) -> bool:
    """Whether a database that said this may answer later by itself: it is not there, or just starting, ending or full.

    What it refuses in so many words, such as a password or a name, it goes on refusing; so does a file that is broken.
    """
    if isinstance(fault, TimeoutError):
        return True
    cause = getattr(fault, "orig", None) or fault
    psycopg: Any = sys.modules.get("psycopg")  # it is imported only with its URL
    if psycopg is not None and isinstance(cause, psycopg.OperationalError):
        state: str | None = cause.sqlstate
        if state is not None:
            return state.startswith(PASSING_STATES)
        said = str(cause)  # of what goes wrong before there is a connection there are words only
        return "FATAL:" not in said or "the database system is" in said or "too many clients" in said
    return isinstance(cause, sqlite3.OperationalError) and "locked" in str(cause)


def first_line(fault: BaseException) -> str:
    """The first line of what the driver said; SQLAlchemy's own text would quote the statement and its parameters."""
    if isinstance(fault, OSError) and fault.strerror:
        return fault.strerror
    return str(getattr(fault, "orig", None) or fault).strip().partition("\n")[0].rstrip(".") or type(fault).__name__


def open_engine(url: URL) -> AsyncEngine:
    """A pooled asyncio engine; nothing is connected until the first statement.

    Parameters are left out of error texts: among them are digests and password hashes.
    """
    if url.get_backend_name() == "sqlite":
        if url.database:
            # The file holds password hashes. A folder that is already there keeps the rights its owner gave it.
            Path(url.database).parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        engine = ThreadedEngine(url)
        event.listen(engine.sync_engine, "do_connect", _create_private)
        event.listen(engine.sync_engine, "connect", _prepare_sqlite)
        event.listen(engine.sync_engine, "begin", _begin_immediate)
        return engine
    connect = resolve_name("app.storage.postgres:connect")
    arguments = {"connect_timeout": CONNECT_SECONDS} | dict(url.query) | {"async_creator_fn": connect}
    return create_async_engine(
        url,
        pool_size=10,
        max_overflow=10,
        pool_timeout=POOL_SECONDS,
        pool_pre_ping=True,
        hide_parameters=True,
        connect_args=arguments,
    )


def _create_private(_dialect: Any, _record: Any, arguments: Any, _named: Any) -> None:
    # SQLite would make the file readable by all; its journal gets the rights that the file has. Only a file that is not
    # there is opened: to close a descriptor of one that is in use would take SQLite's locks on it away (POSIX).
    name = arguments[0]
    if name and name != ":memory:" and not name.startswith("file:"):
        with contextlib.suppress(OSError):  # it is there; or it cannot be made, which SQLite itself tells next
            os.close(os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))


def _prepare_sqlite(connection: Any, _record: Any) -> None:
    # The driver's own transaction handling would begin late and deferred; `_begin_immediate` does it instead.
    connection.isolation_level = None
    cursor = connection.cursor()
    for pragma in SQLITE_PRAGMAS:
        cursor.execute(pragma)
    cursor.close()


def _begin_immediate(connection: Any) -> None:
    # A deferred transaction that reads first and writes later fails with "database is locked" at once,
    # without waiting for busy_timeout; taking the write lock at the start makes two writers queue.
    options = connection.get_execution_options()
    connection.exec_driver_sql("BEGIN" if options.get("read_only") else "BEGIN IMMEDIATE")
