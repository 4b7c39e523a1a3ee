"""What runs beside the requests: writing down last uses, tidying up."""

import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from datetime import datetime
from functools import partial

import anyio

from oauth.errors import StoreUnavailable
from oauth.primitives.clock import utc_now

PATIENCE = 5.0  # seconds; a frozen database must not freeze the repetition as well
CHORES_EVERY = 3_600.0  # seconds; see oauth/signing_keys.py before it becomes longer

log = logging.getLogger(__name__)

Chore = Callable[[datetime], Awaitable[object]]
"""Done at the start and once an hour: dropping what has expired, making the next signing key."""


class Maintenance:
    """Entered by whoever serves requests. Each of `note_uses` runs every `note_every` seconds, and at the end."""

    def __init__(
        self,
        *note_uses: Callable[[], Awaitable[None]],
        chores: Sequence[Chore] = (),
        note_every: float = 10,
        now: Callable[[], datetime] = utc_now,
    ) -> None:
        self._note_uses, self._chores = note_uses, chores
        self._note_every, self._now = note_every, now

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        await self._tidy()
        async with anyio.create_task_group() as tasks:
            for note in self._note_uses:
                tasks.start_soon(_repeat, note, self._note_every)
            tasks.start_soon(_repeat, self._tidy, CHORES_EVERY)
            yield
            tasks.cancel_scope.cancel()
        for note in self._note_uses:
            await _attempt(note)

    async def _tidy(self) -> None:
        async with anyio.create_task_group() as tasks:
            for chore in self._chores:
                tasks.start_soon(_attempt, partial(chore, self._now()))


async def _repeat(work: Callable[[], Awaitable[None]], interval: float) -> None:
    while True:
        await anyio.sleep(interval)
        await _attempt(work)


async def _attempt(work: Callable[[], Awaitable[object]]) -> None:
    try:
        with anyio.fail_after(PATIENCE):
            await work()
    except (StoreUnavailable, TimeoutError) as fault:
        log.warning("maintenance of the authorization server waits for the database: %s", fault)
