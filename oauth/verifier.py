"""Whose credential is this? Answered from memory for a minute, so that a call does not wait for a store.

What is remembered is keyed by the digest of the credential, never by the credential. A refusal is remembered
for a few seconds and apart from the rest, so that guesses cannot push valid keys out. A failure to find out
is not remembered and is never an answer: it is raised.
"""

import asyncio
import hashlib
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from oauth.errors import StoreUnavailable
from oauth.models import Verified
from oauth.primitives import secrets
from oauth.primitives.clock import utc_now


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
    the other is stepped. `ttl`, `refused_ttl` and `patience` are seconds; `size` bounds each memory. `hits` and
    `misses` count the answers from memory and the others. `remembers` is set while an answer is kept.
    """

    def __init__(
        self,
        checker: CredentialChecker,
        *,
        ttl: float = 60,
        refused_ttl: float = 5,
        size: int = 10_000,
        patience: float = 5,
        clock: Callable[[], float] = time.monotonic,
        wall: Callable[[], datetime] = utc_now,
    ) -> None:
        self._checker = checker
        self._ttl, self._refused_ttl = ttl, refused_ttl
        self._size, self._patience = size, patience
        self._clock, self._wall = clock, wall
        self._accepted: OrderedDict[bytes, _Answer] = OrderedDict()
        self._refused: OrderedDict[bytes, _Answer] = OrderedDict()
        self._flights: dict[bytes, asyncio.Task[Verified | None]] = {}
        self._epoch = 0
        self.remembers = asyncio.Event()
        self.hits, self.misses = 0, 0

    async def verify(self, bearer: str) -> Verified | None:
        """Who presents this credential; None when it is not valid, which is a 401 and never "anonymous".

        Raises `StoreUnavailable`: that could not be found out: a 503.
        """
        if not (secrets.looks_like_key(bearer) or secrets.looks_like_token(bearer)):
            return None
        seed = hashlib.sha256(bearer.encode()).digest()
        answer = self._accepted.get(seed) or self._refused.get(seed)
        if answer is not None and answer.until > self._clock():
            self.hits += 1
            return self._unexpired(answer.verified)
        self.misses += 1
        # Shielded: the caller who started the flight may hang up without ending it for the others.
        return self._unexpired(await asyncio.shield(self._flight(seed, bearer)))

    def forget(self, ended: str) -> None:
        """Ask again about all that stands on `ended`, the id of a key, a grant, a client or an account.

        Also where an answer is under way. Call it after the change is stored.
        """
        self._epoch += 1
        for seed, answer in list(self._accepted.items()):
            who = answer.verified
            if who is not None and ended in {who.client_id, who.grant_id, who.subject}:
                del self._accepted[seed]

    def clear(self) -> None:
        """Ask again about everything."""
        self._epoch += 1
        self._accepted.clear()
        self._refused.clear()
        self.remembers.clear()

    def drop_expired(self) -> None:
        """Drop the answers that are too old to be given; each memory has its oldest first."""
        now = self._clock()
        for memory in (self._accepted, self._refused):
            while memory and next(iter(memory.values())).until <= now:
                memory.popitem(last=False)
        if not (self._accepted or self._refused):
            self.remembers.clear()

    def _flight(self, seed: bytes, bearer: str) -> asyncio.Task[Verified | None]:
        flight = self._flights.get(seed)
        if flight is None:
            flight = self._flights[seed] = asyncio.create_task(self._ask(seed, bearer))
            flight.add_done_callback(lambda done: self._land(seed, done))
        return flight

    def _land(self, seed: bytes, flight: asyncio.Task[Verified | None]) -> None:
        del self._flights[seed]
        if not flight.cancelled():
            flight.exception()  # seen: every caller may have hung up, and then nobody else looks at it

    async def _ask(self, seed: bytes, bearer: str) -> Verified | None:
        try:
            async with asyncio.timeout(self._patience):
                epoch = None
                while epoch != self._epoch:  # an answer that `forget` or `clear` overtook may be from before the change
                    epoch = self._epoch
                    verified = await self._checker.check(bearer)
        except TimeoutError:
            raise StoreUnavailable(f"no answer about a credential within {self._patience} s") from None
        memory, ttl = (self._refused, self._refused_ttl) if verified is None else (self._accepted, self._ttl)
        self._accepted.pop(seed, None)
        self._refused.pop(seed, None)
        memory[seed] = _Answer(self._clock() + ttl, verified)
        self.remembers.set()
        while len(memory) > self._size:
            memory.popitem(last=False)
        return verified

    def _unexpired(self, verified: Verified | None) -> Verified | None:
        return None if verified is None or verified.is_expired(self._wall()) else verified
