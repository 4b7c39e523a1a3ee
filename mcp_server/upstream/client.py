"""A client for one upstream, behind what protects both sides: a read that failed on the way is made once more, each try
passes breaker, bulkhead, deadline and tracing, and what remains of a failure becomes one of this project's.
"""

import asyncio
import random
import time
from collections.abc import Awaitable, Callable, Mapping
from functools import lru_cache
from http.cookiejar import CookieJar, DefaultCookiePolicy
from typing import Any, TypeAlias
from urllib.parse import quote

import httpx2
import structlog

from mcp_server.errors import InvalidArguments
from mcp_server.observability.telemetry import Telemetry, no_op
from mcp_server.observability.tracing import Tracer
from mcp_server.settings import McpSettings
from mcp_server.upstream.attempt import Attempts
from mcp_server.upstream.breaker import BreakerChanged, CircuitBreaker, Judge
from mcp_server.upstream.bulkhead import Bulkhead
from mcp_server.upstream.deadline import time_left
from mcp_server.upstream.failure_mapping import FORESEEN, PASSING, BreakerOpen, failure_of, is_transient
from mcp_server.upstream.failure_mapping import judge as judge_usual

ALWAYS = {"accept": "*/*", "accept-encoding": "gzip, deflate", "user-agent": "minds-gateway"}

DEFAULT_OPERATION = "default"

PAUSE = 0.25
"""Seconds before the next try, at most: full jitter, so that those who failed together do not come back together."""

SAFE = frozenset({"GET", "HEAD"})
"""Methods that only read (RFC 9110 section 9.2.1). What may have done something is repeated only where it says so."""

Client: TypeAlias = httpx2.AsyncClient  # for toolsets, which do not import the library
Response: TypeAlias = httpx2.Response

log = structlog.get_logger(__name__)


class Upstream:
    """`client` for requests of `host` over `network`; responses come back whole, but for streams that are asked for.

    A request names its class of operation in its extensions: `client.get(url, extensions={"operation": "search"})`.
    `timeouts` are the seconds of each, and of `default`, which is also the class of any other. `judge` says what a
    response or a fault means for the breaker. `name` stands in failures, and `label` before the operation in metrics.
    """

    def __init__(
        self,
        network: httpx2.AsyncBaseTransport,
        host: str,
        settings: McpSettings,
        *,
        timeouts: Mapping[str, float] | None = None,
        judge: Judge = judge_usual,
        telemetry: Telemetry | None = None,
        tracer: Tracer | None = None,
        breaker_changed: BreakerChanged = no_op,
        name: str = "The upstream service",
        label: str = "",
    ) -> None:
        self._telemetry = telemetry = telemetry or Telemetry()
        self.timeouts = {DEFAULT_OPERATION: settings.timeout_default, **(timeouts or {})}
        self._host, self._breaker_changed = host, breaker_changed
        self.bulkhead = Bulkhead(settings)
        self.breakers: Mapping[str, CircuitBreaker] = {
            operation: CircuitBreaker(f"{host}:{operation}", settings, on_change=self._changed)
            for operation in self.timeouts
        }
        attempts = Attempts(network, self.breakers, self.bulkhead, judge, telemetry, tracer, name=name, label=label)
        self.transport = RetryTransport(attempts, self.breakers, self.timeouts, retries=settings.upstream_retries)
        self.client = httpx2.AsyncClient(
            transport=self.transport,
            timeout=None,
            trust_env=False,
            follow_redirects=False,  # a redirect would carry a credential to wherever it points
            cookies=CookieJar(DefaultCookiePolicy(allowed_domains=[])),  # one caller's would be sent for the next
        )

    def request(
        self, method: str, url: httpx2.URL, headers: Mapping[str, str], body: bytes | None, policy: Mapping[str, Any]
    ) -> httpx2.Request:
        """A request, of JSON where `headers` name nothing else, as `client` would make it, which costs more."""
        always = {"host": url.netloc.decode(), **ALWAYS, **headers}
        if body is not None:
            always |= {"content-length": str(len(body))}
            always.setdefault("content-type", "application/json")
        return httpx2.Request(method, url, headers=always, stream=httpx2.ByteStream(body or b""), extensions=policy)

    def _changed(self, breaker: str, old: str, new: str) -> None:
        log.warning("breaker_changed", breaker=breaker, old=old, new=new)
        operation = breaker.removeprefix(f"{self._host}:")
        if new == "open":  # who waits for a place would be refused by the breaker then
            self.bulkhead.refuse(operation, BreakerOpen(breaker, self.breakers[operation].retry_after))
        self._telemetry.breaker_changed(breaker, old, new)
        self._breaker_changed(breaker, old, new)


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
        retry_on = policy.get("retry_on", PASSING if request.method in SAFE else ())
        more = self._retries if retry_on else 0
        while True:
            outcome: httpx2.Response | Exception
            try:
                outcome = await self._attempts.make(request, operation, seconds)
            except FORESEEN as error:
                outcome = error
            if not (more and is_transient(outcome, retry_on) and await self._paused(operation, ends)):
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


@lru_cache(1_000)
def address(base: str, segments: tuple[str, ...], params: tuple[tuple[str, str | int], ...] = ()) -> httpx2.URL:
    """The URL of `segments` below `base`, parsed once: taking it apart costs more than all that stands before a call.

    The path cannot leave its place: each segment is quoted, and none may be empty or only dots.

    Raises `InvalidArguments`: a segment could not be an id.
    """
    for segment in segments:
        if not segment.strip(".") or any(character < " " for character in segment):
            raise InvalidArguments("that is not an id; use one that a listing returned")
    url = "/".join([base, *(quote(segment, safe="") for segment in segments)])
    return httpx2.URL(url, params=dict(params)) if params else httpx2.URL(url)
