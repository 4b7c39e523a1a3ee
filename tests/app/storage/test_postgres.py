"""A PostgreSQL that keeps silent is given up, and the pool goes on without the connection that waited."""

from typing import Any

import pytest
from sqlalchemy import text
from sqlalchemy.exc import OperationalError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from app.storage.drivers import STATEMENT_SECONDS, TimedConnection, without_timeout
from oauth.endpoints import http

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
