"""Stores answers as they land, those that land together in one transaction; what was paid for is not lost."""

import asyncio

import structlog
from sqlalchemy.exc import InterfaceError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from app.internal_api.panels.landing import Landed
from app.internal_api.panels.panel import Panel
from app.internal_api.store.answers import land

log = structlog.get_logger()

UNREACHABLE = (OperationalError, InterfaceError, PoolTimeout)  # the database is busy or away, and may come back


class Scribe:
    """Holds `most` landed answers at a time; who brings more waits until there is room."""

    def __init__(self, panel: Panel, most: int) -> None:
        self._panel = panel
        self._most = most
        self._landed: list[Landed] = []
        self._news = asyncio.Event()
        self._room = asyncio.Event()
        self._is_last = False

    async def take(self, landed: Landed) -> None:
        """Have it stored soon."""
        self._landed.append(landed)
        self._news.set()
        while len(self._landed) >= self._most:
            self._room.clear()
            await self._room.wait()

    def close(self) -> None:
        """Nothing more will land."""
        self._is_last = True
        self._news.set()

    async def run(self) -> None:
        """Store until closed and empty. When it is stopped it stores what is there, since it was paid for.

        Raises:
            LeaseLost: the question belongs to another worker now, or is gone.

        """
        try:
            while not (self._is_last and not self._landed):
                await self._news.wait()
                self._news.clear()
                await self._store_patiently()
        except asyncio.CancelledError:
            await self._store()
            raise

    async def _store_patiently(self) -> None:
        while self._landed:
            try:
                await self._store()
            except UNREACHABLE as error:
                log.warning("panel.database_unavailable", question=self._panel.question.id, error=type(error).__name__)
                await asyncio.sleep(self._panel.means.settings.poll_seconds)

    async def _store(self) -> None:
        batch = tuple(self._landed)
        if not batch:
            return
        panel = self._panel
        # An answer is progress: only being taken up in vain counts towards giving up.
        async with panel.write(attempt=1) as connection:
            for landed in batch:
                await land(connection, panel.question.id, landed.mind_id, landed.values, panel.means.clock())
        del self._landed[: len(batch)]
        self._room.set()
        panel.tell()
