"""The transport of an upstream: a read that failed on the way is made once more, and what remains of a failure becomes
one of this project's.
"""

import asyncio
import random
import time
from collections.abc import Awaitable, Callable, Mapping

import httpx2

from mcp_server.upstream.attempt import Attempts
from mcp_server.upstream.breaker import CircuitBreaker
from mcp_server.upstream.deadline import time_left
from mcp_server.upstream.failure_mapping import FORESEEN, failure_of, is_transient

DEFAULT_OPERATION = "default"

PAUSE = 0.25
"""Seconds before the next try, at most: full jitter, so that those who failed together do not come back together."""

SAFE = frozenset({"GET", "HEAD"})
"""Methods that only read (RFC 9110 section 9.2.1). What may have done something is never repeated."""


class RetryTransport(httpx2.AsyncBaseTransport):
    """`timeouts` are seconds by operation; all tries of a call share them, and the caller's deadline.

    A try that a closed breaker would not let through is not made.

    Raises `GatewayError`: of each call that got no response.
    """

    def __init__(
        self,
        attempts: Attempts,
        breakers: Mapping[str, CircuitBreaker],
        timeouts: Mapping[str, float],
        *,
        retries: int = 1,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        jitter: Callable[[], float] = random.random,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._attempts, self._breakers, self._timeouts, self._retries = attempts, breakers, timeouts, retries
        self._sleep, self._jitter, self._clock = sleep, jitter, clock

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        policy = request.extensions
        operation = policy.get("operation", DEFAULT_OPERATION)
        if operation not in self._timeouts:
            operation = DEFAULT_OPERATION
        seconds = policy.get("seconds", self._timeouts[operation])
        ends = self._clock() + seconds
        more = policy.get("retries", self._retries) if request.method in SAFE else 0
        while True:
            outcome: httpx2.Response | Exception
            try:
                outcome = await self._attempts.make(request, operation, seconds)
            except FORESEEN as error:
                outcome = error
            if not (more and is_transient(outcome) and await self._paused(operation, ends)):
                break
            more -= 1
            # The first try has all of the time, whatever it waited for before; another one what is left of it.
            seconds = max(0.0, ends - self._clock())
        if isinstance(outcome, httpx2.Response):
            return outcome
        raise failure_of(outcome, self._attempts.name)[0] from None

    async def aclose(self) -> None:
        await self._attempts.network.aclose()

    async def _paused(self, operation: str, ends: float) -> bool:
        """Whether to try once more; by then the pause is over."""
        pause, breaker = self._jitter() * PAUSE, self._breakers[operation]
        if breaker.state != "closed" or pause >= min(ends - self._clock(), time_left()):
            return False
        await self._sleep(pause)
        if breaker.state != "closed":
            return False
        self._attempts.telemetry.retried(self._attempts.label + operation)
        return True
