"""The outermost transport: each call is observed, a read that failed on the way is made once more, and what remains
of a failure becomes one of this project's.
"""

import asyncio
import random
import time
from collections.abc import Awaitable, Callable, Mapping
from functools import partial

import httpx2
import structlog

from mcp_server.observability.telemetry import Telemetry
from mcp_server.upstream.breaker import CircuitBreaker
from mcp_server.upstream.deadline import time_left
from mcp_server.upstream.failure_mapping import FORESEEN, BulkheadFull, failure_of, is_transient
from mcp_server.upstream.layer import DEFAULT_OPERATION, Layer

PAUSE = 0.25
"""Seconds before the next try, at most: full jitter, so that those who failed together do not come back together."""

SAFE = frozenset({"GET", "HEAD"})
"""Methods that only read (RFC 9110 section 9.2.1). What may have done something is never repeated."""

log = structlog.get_logger(__name__)


class RetryTransport(Layer):
    """`timeouts` are seconds by operation; all tries of a call share them, and the caller's deadline.

    A try that a closed breaker would not let through is not made. `name` is what failures call the upstream, and
    `label` stands before the operation in metrics.

    Raises `GatewayError`: of each call that got no response.
    """

    def __init__(
        self,
        inner: httpx2.AsyncBaseTransport,
        breakers: Mapping[str, CircuitBreaker],
        timeouts: Mapping[str, float],
        telemetry: Telemetry,
        *,
        name: str,
        label: str = "",
        retries: int = 1,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        jitter: Callable[[], float] = random.random,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__(inner)
        self._breakers, self._timeouts, self._telemetry = breakers, timeouts, telemetry
        self._name, self._label, self._retries = name, label, retries
        self._sleep, self._jitter, self._clock = sleep, jitter, clock

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        operation, extensions = request.extensions.get("operation", DEFAULT_OPERATION), request.extensions
        if operation not in self._timeouts:
            operation = extensions["operation"] = DEFAULT_OPERATION
        extensions.setdefault("seconds", self._timeouts[operation])
        ends = self._clock() + extensions["seconds"]
        more = extensions.get("retries", self._retries) if request.method in SAFE else 0
        while True:
            outcome: httpx2.Response | Exception | None = None
            started, stream = time.perf_counter(), None
            try:
                outcome = await self._inner.handle_async_request(request)
                stream = outcome.extensions.get("open_stream")
            except FORESEEN as error:
                outcome = error
            finally:
                if stream is None:
                    self._observe(operation, started, outcome)
                else:
                    stream.at_end(partial(self._observe, operation, started, outcome))
            if not (more and is_transient(outcome) and await self._paused(operation, ends)):
                break
            more -= 1
            # The first try has all of the time, whatever it waited for before; another one what is left of it.
            extensions["seconds"] = max(0.0, ends - self._clock())
        if isinstance(outcome, httpx2.Response):
            return outcome
        raise failure_of(outcome, self._name)[0] from None

    def _observe(
        self,
        operation: str,
        started: float,
        outcome: httpx2.Response | Exception | None,
        error: Exception | None = None,
    ) -> None:
        """Count a call, by the `error` that ended its stream if there is one; None is a caller who left. One that
        found no place did not get as far as a call.
        """
        ended, word = error or outcome, "cancelled"
        if isinstance(ended, BulkheadFull):
            self._telemetry.bulkhead_refused(self._label + operation)
            return
        if isinstance(ended, httpx2.RequestError):
            log.warning("upstream_unreachable", operation=operation, reason=type(ended).__name__)
        if isinstance(ended, httpx2.Response):
            word = f"{ended.status_code // 100}xx"
        elif ended is not None:
            word = failure_of(ended, self._name)[1]
        self._telemetry.upstream(self._label + operation, word, time.perf_counter() - started)

    async def _paused(self, operation: str, ends: float) -> bool:
        """Whether to try once more; by then the pause is over."""
        pause, breaker = self._jitter() * PAUSE, self._breakers[operation]
        if breaker.state != "closed" or pause >= min(ends - self._clock(), time_left()):
            return False
        await self._sleep(pause)
        if breaker.state != "closed":
            return False
        self._telemetry.retried(self._label + operation)
        return True
