"""What runs beside the requests: noticing revocations made elsewhere, writing down last uses, tidying up.

A revocation at the command line or in another worker raises a revision in the same transaction. Each process
reads these few numbers twice a second and, when one moved, asks again about every credential: so no call waits
for the database, and nothing revoked is accepted for longer than `notice_every`. While the database gives no
answer, what is remembered stands until its minute ends.
"""

import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from datetime import datetime
from functools import partial
from typing import Protocol

import anyio

from oauth.errors import StoreUnavailable
from oauth.primitives.clock import utc_now
from oauth.verifier import Verifier

PATIENCE = 5.0  # seconds; a frozen database must not freeze the looking as well
IDLE_SECONDS = 5.0  # between looks while no answer is remembered that a revocation could end
CHORES_EVERY = 3_600.0  # seconds; see oauth/signing_keys.py before it becomes longer

log = logging.getLogger(__name__)

Write = Callable[[], Awaitable[None]]
"""Done every few seconds, and once more at the end."""

Chore = Callable[[datetime], Awaitable[object]]
"""Done at the start and once an hour: dropping what has expired, making the next signing key."""


class Watched(Protocol):
    """Something whose answers are remembered, or stand behind what is."""

    async def revision(self) -> int:
        """Changes whenever an earlier answer may have ceased to hold."""


class Authority(Watched, Protocol):
    """Decides about credentials, and remembers which were used."""

    async def note_uses(self) -> None:
        """Write it down."""


class Maintenance:
    """Entered by whoever serves requests; the intervals are seconds.

    `rings` are watched and have no uses to note: the signing keys. `writes` is what waits in memory to be written.
    """

    def __init__(
        self,
        verifier: Verifier,
        *authorities: Authority,
        rings: Sequence[Watched] = (),
        chores: Sequence[Chore] = (),
        writes: Sequence[Write] = (),
        notice_every: float = 0.5,
        note_every: float = 10,
        now: Callable[[], datetime] = utc_now,
    ) -> None:
        self._verifier = verifier
        self._watched = (*authorities, *rings)
        self._chores, self._now = chores, now
        self._writes = (*(authority.note_uses for authority in authorities), *writes)
        self._notice_every, self._note_every = notice_every, note_every
        self._seen: list[int] = []

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Do all of it until the block is left, then write down the last uses."""
        # The first look forgets all: it comes before there is anything to forget, and after the first signing key.
        await self._tidy()
        await _attempt(self.notice)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._keep_noticing)
            for write in self._writes:
                tasks.start_soon(_repeat, write, self._note_every)
            tasks.start_soon(_repeat, self._tidy, CHORES_EVERY, CHORES_EVERY)
            yield
            tasks.cancel_scope.cancel()
        for write in self._writes:
            await _attempt(write)

    async def notice(self) -> None:
        """Drop what the verifier remembers if something ended since the last look, or before the first.

        Raises `StoreUnavailable`: the database gave no answer; the next look makes up for it.
        """
        revisions = [await watched.revision() for watched in self._watched]
        if revisions != self._seen:
            self._seen = revisions
            self._verifier.clear()

    async def _keep_noticing(self) -> None:
        while True:
            has_looked = await _attempt(self.notice)
            self._verifier.drop_expired()
            await anyio.sleep(self._notice_every)
            if has_looked:
                with anyio.move_on_after(IDLE_SECONDS):
                    await self._verifier.remembers.wait()

    async def _tidy(self) -> None:
        async with anyio.create_task_group() as tasks:
            for chore in self._chores:
                tasks.start_soon(_attempt, partial(chore, self._now()))


async def _repeat(work: Callable[[], Awaitable[None]], interval: float, first_after: float = 0) -> None:
    await anyio.sleep(first_after)
    while True:
        await _attempt(work)
        await anyio.sleep(interval)


async def _attempt(work: Callable[[], Awaitable[object]]) -> bool:
    try:
        with anyio.fail_after(PATIENCE):
            await work()
    except (StoreUnavailable, TimeoutError) as fault:
        log.warning("maintenance of the authorization server waits for the database: %s", fault)
        return False
    return True
