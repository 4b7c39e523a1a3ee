"""Stores answers as they arrive, those that arrive together in one transaction; what was paid for is not lost."""

import asyncio

import structlog
from sqlalchemy.exc import InterfaceError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from app.internal_api.panels.dependencies import ClaimedQuestion
from app.internal_api.panels.outcomes import Outcome
from app.internal_api.store.answering import land

log = structlog.get_logger()

UNREACHABLE = (OperationalError, InterfaceError, PoolTimeout)  # the database is busy or away, and may come back


class AnswerWriter:
    """Buffers at most `most` outcomes; who adds more waits until there is room."""

    def __init__(self, claimed: ClaimedQuestion, most: int) -> None:
        self._claimed = claimed
        self._most = most
        self._buffer: list[Outcome] = []
        self._added = asyncio.Event()
        self._room = asyncio.Event()
        self._closed = False

    async def add(self, outcome: Outcome) -> None:
        """Have it stored soon."""
        self._buffer.append(outcome)
        self._added.set()
        while len(self._buffer) >= self._most:
            self._room.clear()
            await self._room.wait()

    def close(self) -> None:
        """Nothing more will be added."""
        self._closed = True
        self._added.set()

    async def run(self) -> None:
        """Store until closed and empty. When it is cancelled it stores what is buffered, since it was paid for.

        Raises:
            LeaseLost: the question belongs to another worker now, or is gone.

        """
        dependencies, question = self._claimed.dependencies, self._claimed.question
        try:
            while self._buffer or not self._closed:
                await self._added.wait()
                self._added.clear()
                while self._buffer:
                    try:
                        await self._flush()
                    except UNREACHABLE as error:
                        log.warning("panel.database_unavailable", question=question.id, error=type(error).__name__)
                        await asyncio.sleep(dependencies.settings.poll_seconds)
        except asyncio.CancelledError:
            await self._flush()
            raise

    async def _flush(self) -> None:
        batch = tuple(self._buffer)
        if not batch:
            return
        claimed = self._claimed
        # An answer is progress: only attempts without any count towards giving up.
        async with claimed.write(attempt=1) as connection:
            for outcome in batch:
                now = claimed.dependencies.clock()
                await land(connection, claimed.question.id, outcome.mind_id, outcome.values, now)
        del self._buffer[: len(batch)]
        self._room.set()
        claimed.notify()
