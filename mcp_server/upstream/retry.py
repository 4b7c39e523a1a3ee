"""A read that failed on the way is made once more. What may have done something is never repeated here."""

import asyncio
import random
import time
from collections.abc import Awaitable, Callable

from mcp_server.upstream.breaker import AsyncBreaker
from mcp_server.upstream.deadline import time_left
from mcp_server.upstream.failure_mapping import Watch

PAUSE = 0.25
"""Seconds before the next try, at most: full jitter, so that those who failed together do not come back together."""

SAFE = frozenset({"GET", "HEAD"})
"""Methods that only read (RFC 9110 section 9.2.1)."""


class Tries:
    """The tries of one call. All of them share the time of one operation, `seconds`, and the caller's deadline.

    A try that a closed breaker would not let through is not made: not while it is open, and not as a second probe.
    """

    def __init__(
        self,
        more: int,
        seconds: float,
        breaker: AsyncBreaker,
        *,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        jitter: Callable[[], float] = random.random,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._more, self._breaker = more, breaker
        self._sleep, self._jitter, self._clock = sleep, jitter, clock
        self._ends = clock() + seconds
        self._seconds = seconds
        self.made = 0

    @property
    def seconds(self) -> float:
        """What the next try may take: the first one all, whatever it waited for before; another one what is left."""
        return self._seconds if self.made == 0 else max(0.0, self._ends - self._clock())

    async def again(self, watch: Watch, observe: Callable[[float], None]) -> bool:
        """Whether to try once more, after what `watch` saw; by then the pause is over. `observe` is told its length."""
        self.made += 1
        if self.made > self._more or not watch.may_pass or not self._is_let_through():
            return False
        pause = self._jitter() * PAUSE
        if pause >= min(self._ends - self._clock(), time_left()):
            return False
        await self._sleep(pause)
        if not self._is_let_through():
            return False
        observe(pause)
        return True

    def _is_let_through(self) -> bool:
        return self._breaker.state == "closed"
