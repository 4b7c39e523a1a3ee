"""What runs beside the requests: noticing revocations made by other processes, writing down last uses.

A revocation at the command line or in another worker raises the revision in the same transaction. Each
process reads that one number twice a second and, when it moved, asks again about every key: so no call waits
for the database, and no revoked key is accepted for longer than `notice_every`. While the database gives no
answer, what is remembered stands until its minute ends.
"""

import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Protocol

import anyio

from oauth.errors import StoreUnavailable
from oauth.verifier import Verifier

PATIENCE = 5.0  # seconds; a frozen database must not freeze the looking as well

log = logging.getLogger(__name__)


class Watched(Protocol):
    """The authority's side of it."""

    async def revision(self) -> int:
        """Changes whenever an earlier answer may have ceased to hold."""

    async def note_uses(self) -> None:
        """Write down which keys were used."""


class Upkeep:
    """Entered by whoever serves requests; both intervals are seconds."""

    def __init__(self, verifier: Verifier, keys: Watched, *, notice_every: float = 0.5, note_every: float = 10) -> None:
        self._verifier = verifier
        self._keys = keys
        self._notice_every, self._note_every = notice_every, note_every
        self._seen: int | None = None

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Do both until the block is left, then write down the last uses."""
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(_repeat, self.notice, self._notice_every)
            tasks.start_soon(_repeat, self._keys.note_uses, self._note_every)
            yield
            tasks.cancel_scope.cancel()
        await _attempt(self._keys.note_uses)

    async def notice(self) -> None:
        """Drop what the verifier remembers if something ended since the last look, or before the first.

        Raises:
            StoreUnavailable: the database gave no answer; the next look makes up for it.

        """
        revision = await self._keys.revision()
        if revision != self._seen:
            self._seen = revision
            self._verifier.clear()


async def _repeat(work: Callable[[], Awaitable[None]], interval: float) -> None:
    while True:
        await _attempt(work)
        await anyio.sleep(interval)


async def _attempt(work: Callable[[], Awaitable[None]]) -> None:
    try:
        with anyio.fail_after(PATIENCE):
            await work()
    except (StoreUnavailable, TimeoutError) as fault:
        log.warning("upkeep of the keys waits for the database: %s", fault)
