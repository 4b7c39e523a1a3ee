"""Connections to PostgreSQL that give a silent server up, so that nobody waits for it longer than a client does."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, TypeVar

import psycopg
from psycopg.abc import PQGen
from psycopg.pq import TransactionStatus
from psycopg.rows import TupleRow
from sqlalchemy.ext.asyncio import AsyncConnection

PATIENCE: float = 4
"""Seconds for one statement. Ours take milliseconds, and wait for each other's locks no longer than for these."""
CONNECT_SECONDS = 3
INTERVAL = 0.1
"""Seconds between two looks for an interruption, as the driver has it."""

Answer = TypeVar("Answer")


class PatientConnection(psycopg.AsyncConnection[TupleRow]):
    """A connection whose server may keep silent for `patience` seconds, or for ever if that is None.

    A frozen host accepts what is sent and never answers: neither the driver nor the network ends such a wait.
    """

    patience: float | None = PATIENCE

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
            return await super().wait(gen, interval, self.patience if timeout is None else timeout)
        except psycopg.OperationalError:
            if self.pgconn.transaction_status == TransactionStatus.ACTIVE:
                self.pgconn.finish()
            raise


@asynccontextmanager
async def without_haste(connection: AsyncConnection) -> AsyncIterator[None]:
    """Let the statements of `connection` take as long as they take: another process may be migrating, or we."""
    driver: Any = (await connection.get_raw_connection()).driver_connection
    if not isinstance(driver, PatientConnection):
        yield
        return
    driver.patience = None
    try:
        yield
    finally:
        driver.patience = PATIENCE
