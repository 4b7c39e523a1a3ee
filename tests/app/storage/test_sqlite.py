"""Engines of SQLite: what their threads still have to do when an engine is disposed of."""

import asyncio
import sqlite3
import threading
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text

from app.storage import drivers as threaded_sqlite
from app.storage.drivers import ThreadedEngine
from app.storage.engine import database_url
from tests.edge import PATIENCE


@pytest.fixture
def others() -> set[threading.Thread]:
    """The threads that are there before the test: not its own."""
    return set(threading.enumerate())


def of_the_driver(others: set[threading.Thread]) -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread not in others and "_worker_thread" in thread.name]


async def test_a_statement_that_was_cancelled_has_ended_when_its_engine_is_disposed_of(
    tmp_path: Path, others: set[threading.Thread]
) -> None:
    engine = ThreadedEngine(database_url(None, tmp_path))
    has_begun, may_end = threading.Event(), threading.Event()

    def hold() -> None:
        has_begun.set()
        may_end.wait()

    async def ask() -> None:
        async with engine.connect() as connection:
            driver = (await connection.get_raw_connection()).driver_connection
            assert driver is not None
            await driver.create_function("hold", 0, hold)
            await connection.execute(text("SELECT hold()"))

    asking = asyncio.create_task(ask())
    await asyncio.to_thread(has_begun.wait)
    asking.cancel()
    await asyncio.wait([asking], timeout=PATIENCE)
    has_left = asking.done()
    working = of_the_driver(others)
    asyncio.get_running_loop().call_later(0.1, may_end.set)
    await engine.dispose()

    assert has_left  # before the statement has ended, which nobody waits for
    assert asking.cancelled()
    assert len(working) == 1
    assert of_the_driver(others) == []


async def test_a_connection_that_was_cancelled_in_the_making_is_closed(
    tmp_path: Path, others: set[threading.Thread], monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = ThreadedEngine(database_url(None, tmp_path))
    has_begun, may_end = threading.Event(), threading.Event()
    made: list[sqlite3.Connection] = []
    connect = sqlite3.connect

    def slowly(*places: Any, **named: Any) -> sqlite3.Connection:
        has_begun.set()
        may_end.wait()
        made.append(connect(*places, **named | {"check_same_thread": False}))
        return made[0]

    monkeypatch.setattr(sqlite3, "connect", slowly)
    asking = asyncio.create_task(engine.connect().start())
    await asyncio.to_thread(has_begun.wait)
    asking.cancel()
    await asyncio.wait([asking], timeout=PATIENCE)
    may_end.set()
    await engine.dispose()

    assert asking.cancelled()
    assert of_the_driver(others) == []
    with pytest.raises(sqlite3.ProgrammingError, match="closed"):
        made[0].total_changes  # noqa: B018  # it raises


async def test_a_connection_that_is_not_given_back_holds_the_end_up_for_its_time_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(threaded_sqlite, "LAST_SECONDS", 0.05)
    engine = ThreadedEngine(database_url(None, tmp_path))
    async with engine.connect() as connection:
        await engine.dispose()

        still = (await connection.execute(text("SELECT 1"))).scalar_one()
        await connection.invalidate()
    await engine.dispose()

    assert still == 1
