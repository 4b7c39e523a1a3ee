"""Connections to PostgreSQL with a timeout for each statement, kept by the client: a frozen server keeps none."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, TypeVar

import psycopg
from psycopg.abc import PQGen
from psycopg.pq import TransactionStatus
from psycopg.rows import TupleRow
from sqlalchemy.ext.asyncio import AsyncConnection

STATEMENT_SECONDS: float = 4
"""Seconds for one statement. Ours take milliseconds, and wait for each other's locks no longer than for these."""
CONNECT_SECONDS = 3
INTERVAL = 0.1
"""Seconds between two looks for an interruption, as the driver has it."""

Answer = TypeVar("Answer")


class TimedConnection(psycopg.AsyncConnection[TupleRow]):
    """A connection whose server may keep silent for `timeout_seconds` seconds, or for ever if that is None.

    A frozen host accepts what is sent and never answers: neither the driver nor the network ends such a wait.
    """

    timeout_seconds: float | None = STATEMENT_SECONDS

    async def wait(
        self,
        gen: PQGen[Answer],
        interval: float = INTERVAL,
        timeout: float | None = None,  # noqa: ASYNC109  # the base class has it
    ) -> Answer:
        """What the server answers.

        Raises:
            OperationalError: nothing, in time. The connection is closed: the late answer would be taken for the next.

        """
        try:
            return await super().wait(gen, interval, self.timeout_seconds if timeout is None else timeout)
        except psycopg.OperationalError:
            if self.pgconn.transaction_status == TransactionStatus.ACTIVE:
                self.pgconn.finish()
            raise


@asynccontextmanager
async def without_timeout(connection: AsyncConnection) -> AsyncIterator[None]:
    """Let the statements of `connection` take as long as they take: another process may be migrating, or we."""
    driver: Any = (await connection.get_raw_connection()).driver_connection
    if not isinstance(driver, TimedConnection):
        yield
        return
    driver.timeout_seconds = None
    try:
        yield
    finally:
        driver.timeout_seconds = STATEMENT_SECONDS
