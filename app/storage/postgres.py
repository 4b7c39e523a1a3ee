"""PostgreSQL's driver, which gives up on a silent server. It is imported, 12 MB, only with a URL of PostgreSQL."""

import asyncio
from time import monotonic
from typing import Any, TypeVar

import psycopg
from psycopg.abc import PQGen
from psycopg.pq import TransactionStatus
from psycopg.rows import TupleRow

from app.storage.engine import is_passing

STATEMENT_SECONDS: float = 4
"""Seconds for one statement. Ours take milliseconds, and wait for each other's locks no longer than for these."""
INTERVAL = 0.1  # seconds between two looks for an interruption, as the driver has it

RECONNECT_SECONDS, PAUSE = 2.5, 0.1
"""How long a connection is tried for, and the pause between two tries."""

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

        Raises `OperationalError`: nothing, in time. The connection is closed: the late answer would be taken for the
        next.
        """
        try:
            return await super().wait(gen, interval, self.timeout_seconds if timeout is None else timeout)
        except psycopg.OperationalError:
            if self.pgconn.transaction_status == TransactionStatus.ACTIVE:
                self.pgconn.finish()
            raise


async def connect(*places: Any, **named: Any) -> TimedConnection:
    """A server that is just being started again is waited for, so that its restart is a pause and no fault."""
    until = monotonic() + RECONNECT_SECONDS
    while True:
        try:
            return await TimedConnection.connect(*places, **named)
        except psycopg.OperationalError as fault:
            if not is_passing(fault) or monotonic() > until:
                raise
        await asyncio.sleep(PAUSE)
