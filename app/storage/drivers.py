"""Connections of both drivers: PostgreSQL's without its limit of time, SQLite's with no thread left at work."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from threading import Thread
from time import monotonic
from typing import Any
from weakref import WeakSet

import aiosqlite
from sqlalchemy import event
from sqlalchemy.engine import URL
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine
from sqlalchemy.util.concurrency import in_greenlet

LAST_SECONDS: float = 6
"""For threads to end when their engine is disposed of: a little longer than SQLite waits for a lock."""


@asynccontextmanager
async def without_timeout(connection: AsyncConnection) -> AsyncIterator[None]:
    """Let the statements of `connection` take as long as they take: another process may be migrating, or we."""
    driver: Any = (await connection.get_raw_connection()).driver_connection
    driver.timeout_seconds = None  # SQLite's takes no note of it
    try:
        yield
    finally:
        del driver.timeout_seconds


class ThreadedEngine(AsyncEngine):
    """An engine on `url`, whose `dispose` waits for the threads of its connections, for `LAST_SECONDS` at most.

    A statement that was cancelled is still at work in its thread, and tells the event loop of its end. A loop that was
    closed by then makes the thread die with a traceback, in the last lines of a process that was to end quietly.
    """

    def __init__(self, url: URL) -> None:
        self._threads: WeakSet[Thread] = WeakSet()
        creator = {"async_creator_fn": self._connection}
        super().__init__(create_async_engine(url, hide_parameters=True, connect_args=creator).sync_engine)
        self._closing: set[asyncio.Task[None]] = set()
        self.is_full = False
        event.listen(self.sync_engine, "handle_error", self._note_fault)
        self.sync_engine.dialect.do_terminate = self._close_aside  # type: ignore[method-assign]  # see there

    async def dispose(self, close: bool = True) -> None:  # noqa: FBT001, FBT002  # the base class has it
        """Close the connections of the pool, and wait for the ends of all that were ever made."""
        await super().dispose(close)
        until = monotonic() + LAST_SECONDS
        if close and self._closing:
            await asyncio.wait(self._closing, timeout=LAST_SECONDS)
        working = [thread for thread in self._threads if thread.is_alive()]
        if close and working:
            await asyncio.to_thread(_wait, working, until)

    def _note_fault(self, context: Any) -> None:
        """A full disk is seen by writes only; `is_full` until one has succeeded where it is looked for."""
        self.is_full |= "is full" in str(context.original_exception)

    async def _connection(self, *places: Any, **named: Any) -> aiosqlite.Connection:
        connection = aiosqlite.connect(*places, **named)
        thread = connection._thread  # noqa: SLF001  # as SQLAlchemy does, that makes a daemon of it
        thread.daemon = True  # a process that was told to end does not wait for a query
        self._threads.add(thread)
        connecting = asyncio.ensure_future(connection.__aenter__())
        try:
            return await asyncio.shield(connecting)  # else the driver loses a connection that is cancelled here, open
        except asyncio.CancelledError:
            connecting.add_done_callback(lambda _: connection.stop())
            raise

    def _close_aside(self, dbapi_connection: Any) -> None:
        # What a cancelled statement leaves behind is closed in a task of its own, as SQLAlchemy does it. But nobody
        # waits for it, because it ends after the statement: who was cancelled, by a limit of time for example, would
        # be held until then. Nor does a second cancellation stop the connection's thread, after which the task
        # would wait for ever.
        driver = dbapi_connection.driver_connection
        if in_greenlet():
            closing = asyncio.get_running_loop().create_task(_roll_back_and_close(driver))
            self._closing.add(closing)
            closing.add_done_callback(self._closing.discard)
        else:
            driver.stop()


def _wait(threads: list[Thread], until: float) -> None:
    for thread in threads:
        thread.join(max(0, until - monotonic()))


async def _roll_back_and_close(driver: Any) -> None:
    # Closing alone keeps the write lock for as long as a half-read SELECT of the connection is referenced,
    # which the traceback of a cancellation does until the garbage collector comes: every writer would fail.
    try:
        await driver.rollback()
    finally:
        await driver.close()
