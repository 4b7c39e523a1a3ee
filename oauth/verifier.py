"""Whose credential is this? Answered from memory for a minute, so that a call does not wait for a store.

What is remembered is keyed by the digest of the credential, never by the credential. A refusal is remembered
for a few seconds and apart from the rest, so that guesses cannot push valid keys out. A failure to find out
is not remembered and is never an answer: it is raised.

A revocation at the command line or in another worker raises a revision in the same transaction. Whoever asks after
`notice_every` seconds without a look waits for these few numbers to be read, and when one moved, every credential is
asked about again: so nothing revoked is accepted for longer than that, and a process that nobody asks reads nothing.
While the database gives no answer, what is remembered stands until its minute ends.
"""

import asyncio
import hashlib
import logging
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from math import inf
from typing import Protocol

from oauth.errors import StoreUnavailable
from oauth.models import Verified
from oauth.primitives import secrets
from oauth.primitives.clock import utc_now

LOOK_PATIENCE = 5.0  # seconds; a look at a frozen database must end, so that another one can begin
LOOK_WAIT = 0.5  # seconds that callers wait for one look, of a database that does not answer

log = logging.getLogger(__name__)

Revisions = Callable[[], Awaitable[Mapping[str, int]]]
"""Reads the numbers that change whenever an earlier answer may have ceased to hold."""


class CredentialChecker(Protocol):
    """Who decides: about keys the embedded accounts, or the real API by `GET /api/v1/auth/me`; about tokens we."""

    async def check(self, bearer: str, /) -> Verified | None:
        """Who the credential belongs to; None when it is not valid.

        Raises `StoreUnavailable`: that could not be found out.
        """


@dataclass(frozen=True, slots=True)
class _Answer:
    until: float
    verified: Verified | None


class Verifier:
    """Verifies bearer credentials, at most once a minute each, whatever the number of calls.

    `clock` measures how long an answer is kept, `wall` whether a credential has expired: each is right when
    the other is stepped. `ttl`, `refused_ttl`, `patience` and `notice_every` are seconds; `size` bounds each memory.
    `hits` and `misses` count the answers from memory and the others. Without `revisions` nothing is looked for.
    """

    def __init__(
        self,
        checker: CredentialChecker,
        revisions: Revisions | None = None,
        *,
        ttl: float = 60,
        refused_ttl: float = 5,
        size: int = 10_000,
        patience: float = 5,
        notice_every: float = 0.5,
        clock: Callable[[], float] = time.monotonic,
        wall: Callable[[], datetime] = utc_now,
    ) -> None:
        self._checker, self._revisions = checker, revisions
        self._ttl, self._refused_ttl = ttl, refused_ttl
        self._size, self._patience = size, patience
        self._clock, self._wall = clock, wall
        self._accepted: OrderedDict[bytes, _Answer] = OrderedDict()
        self._refused: OrderedDict[bytes, _Answer] = OrderedDict()
        self._flights: dict[bytes, asyncio.Task[Verified | None]] = {}
        self._epoch = 0
        self._notice_every, self._look_at = notice_every, inf if revisions is None else -inf
        self._look: asyncio.Task[None] | None = None
        self._look_began, self._told = 0.0, 0
        self._seen: Mapping[str, int] = {}
        self.hits, self.misses = 0, 0

    async def verify(self, bearer: str) -> Verified | None:
        """Who presents this credential; None when it is not valid, which is a 401 and never "anonymous".

        Raises `StoreUnavailable`: that could not be found out: a 503.
        """
        seed, now = hashlib.sha256(bearer.encode()).digest(), self._clock()
        if now >= self._look_at:
            await self._notice(now)
        answer = self._accepted.get(seed) or self._refused.get(seed)
        if answer is not None and answer.until > now:
            self.hits += 1
            verified = answer.verified
        elif secrets.looks_like_key(bearer) or secrets.looks_like_token(bearer):
            self.misses += 1
            # Shielded: the caller who started the flight may hang up without ending it for the others.
            verified = await asyncio.shield(self._flight(seed, bearer))
        else:
            return None
        # Compared here, without a function of its own: this is done for every call.
        is_expired = verified is not None and verified.expires_at is not None and verified.expires_at <= self._wall()
        return None if is_expired else verified

    def look(self) -> None:
        """Compare the revisions before the next answer: one of them was changed, here or by another process."""
        self._told += 1
        if self._revisions is not None:
            self._look_at = -inf

    def clear(self) -> None:
        self._epoch += 1
        self._accepted.clear()
        self._refused.clear()

    async def _notice(self, now: float) -> None:
        """Wait for the look that is under way, or begin one; not for long, and not for a database that is frozen."""
        if self._look is None or self._look.done():
            self._look, self._look_began = asyncio.create_task(self._compare(now)), now
        await asyncio.wait({self._look}, timeout=max(0, self._look_began + LOOK_WAIT - now))

    async def _compare(self, began: float) -> None:
        """Forget everything if something ended since the last look; drop the answers that are too old to be given."""
        if self._revisions is None:
            return
        told = self._told
        try:
            async with asyncio.timeout(LOOK_PATIENCE):
                revisions = await self._revisions()
        except (StoreUnavailable, TimeoutError) as fault:
            log.warning("revocations by other processes are not seen now: %s", fault)
            self._look_at = self._clock() + self._notice_every
            return
        self._look_at = began + self._notice_every if told == self._told else -inf
        if revisions != self._seen:
            self._seen = revisions
            self.clear()
        for memory in (self._accepted, self._refused):  # each has its oldest first
            while memory and next(iter(memory.values())).until <= began:
                memory.popitem(last=False)

    def _flight(self, seed: bytes, bearer: str) -> asyncio.Task[Verified | None]:
        flight = self._flights.get(seed)
        if flight is None:
            flight = self._flights[seed] = asyncio.create_task(self._ask(seed, bearer))
            flight.add_done_callback(lambda _done: self._flights.pop(seed))
            # Seen: every caller may have hung up, and then nobody else looks at it.
            flight.add_done_callback(lambda done: done.cancelled() or done.exception())
        return flight

    async def _ask(self, seed: bytes, bearer: str) -> Verified | None:
        try:
            async with asyncio.timeout(self._patience):
                epoch = None
                while epoch != self._epoch:  # an answer that `clear` overtook may be from before the change
                    epoch = self._epoch
                    verified = await self._checker.check(bearer)
        except TimeoutError:
            raise StoreUnavailable(f"no answer about a credential within {self._patience} s") from None
        memory, ttl = (self._refused, self._refused_ttl) if verified is None else (self._accepted, self._ttl)
        self._accepted.pop(seed, None)
        self._refused.pop(seed, None)
        memory[seed] = _Answer(self._clock() + ttl, verified)
        while len(memory) > self._size:
            memory.popitem(last=False)
        return verified
