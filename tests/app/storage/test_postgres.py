"""A PostgreSQL that keeps silent is given up, and the pool goes on without the connection that waited."""

import asyncio
from typing import Any

import psycopg
import pytest
from sqlalchemy import URL, text
from sqlalchemy.exc import OperationalError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from app.storage.drivers import without_timeout
from app.storage.engine import open_engine
from app.storage.postgres import STATEMENT_SECONDS, TimedConnection
from oauth.endpoints import http
from tests.edge import free_socket, within

SILENCE = text("SELECT pg_sleep(60)")
PAUSE = text("SELECT pg_sleep(0.3)")


async def driver_of(connection: AsyncConnection) -> Any:
    return (await connection.get_raw_connection()).driver_connection


async def with_short_timeout(connection: AsyncConnection) -> TimedConnection | None:
    """The driver's connection with hardly any timeout_seconds; None on SQLite, which has no server."""
    driver = await driver_of(connection)
    if isinstance(driver, TimedConnection):
        driver.timeout_seconds = 0.1
        return driver
    return None


async def test_a_silent_server_is_given_up_and_the_next_asker_gets_another_connection(engine: AsyncEngine) -> None:
    async with engine.connect() as connection:
        driver = await with_short_timeout(connection)
        if driver is not None:
            with pytest.raises(OperationalError):
                await connection.execute(SILENCE)
            assert driver.closed
    async with engine.connect() as connection:
        assert (await connection.execute(text("SELECT 1"))).scalar_one() == 1
        assert await driver_of(connection) is not driver


async def test_an_error_of_a_statement_closes_nothing(engine: AsyncEngine) -> None:
    async with engine.connect() as connection:
        driver = await driver_of(connection)
        with pytest.raises(OperationalError if engine.dialect.name == "sqlite" else Exception, match="nowhere"):
            await connection.execute(text("SELECT * FROM nowhere"))
        await connection.rollback()

        assert await driver_of(connection) is driver
        assert (await connection.execute(text("SELECT 1"))).scalar_one() == 1


async def test_migrations_wait_as_long_as_it_takes_and_nobody_after_them(engine: AsyncEngine) -> None:
    async with engine.connect() as connection:
        driver = await with_short_timeout(connection)
        async with without_timeout(connection):
            if driver is not None:
                await connection.execute(PAUSE)
        if driver is not None:
            assert driver.timeout_seconds == STATEMENT_SECONDS


def test_who_waits_for_the_database_hears_of_it_before_a_client_gives_up() -> None:
    assert STATEMENT_SECONDS < http.PATIENCE


async def test_a_server_that_is_just_being_started_again_is_waited_for(
    postgres: URL, monkeypatch: pytest.MonkeyPatch
) -> None:
    with free_socket() as reserved:
        port = reserved.getsockname()[1]
    refused, connect = asyncio.Event(), TimedConnection.connect

    async def attempt(*places: Any, **named: Any) -> Any:
        """At `port` first, where nobody listens; the server is there when that was refused."""
        if refused.is_set():
            return await connect(postgres.render_as_string(hide_password=False).replace("+psycopg", ""))
        refused.set()
        return await connect(*places, **named)

    monkeypatch.setattr(TimedConnection, "connect", attempt)
    engine = open_engine(URL.create("postgresql+psycopg", "ada", host="127.0.0.1", port=port, database="minds"))
    async with engine.connect() as connection:
        assert (await within(connection.execute(text("SELECT 1")))).scalar_one() == 1
    await engine.dispose()
    assert refused.is_set()


async def test_a_server_that_refuses_in_so_many_words_is_asked_once(monkeypatch: pytest.MonkeyPatch) -> None:
    tries = 0

    async def refuse(*_places: Any, **_named: Any) -> Any:
        nonlocal tries
        tries += 1
        raise psycopg.OperationalError('FATAL:  password authentication failed for user "ada"')

    monkeypatch.setattr(TimedConnection, "connect", refuse)
    engine = open_engine(URL.create("postgresql+psycopg", "ada", host="127.0.0.1", port=1, database="minds"))
    with pytest.raises(OperationalError):
        await engine.connect()
    assert tries == 1
