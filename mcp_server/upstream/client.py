"""A client for one upstream, behind what protects both sides: retry, breaker, bulkhead, deadline, tracing."""

from collections.abc import Mapping
from functools import lru_cache
from http.cookiejar import CookieJar, DefaultCookiePolicy
from typing import Any
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
from mcp_server.upstream.failure_mapping import BreakerOpen
from mcp_server.upstream.failure_mapping import judge as judge_usual
from mcp_server.upstream.retry import DEFAULT_OPERATION, RetryTransport

ALWAYS = {"accept": "*/*", "accept-encoding": "gzip, deflate", "user-agent": "minds-gateway"}

log = structlog.get_logger(__name__)


class Upstream:
    """`client` for requests of `host` over `network`; responses come back whole, but for event streams.

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
        telemetry = telemetry or Telemetry()
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
        """A request of JSON for `transport`, as `client` would make it; its merging costs more than the sending."""
        always = {"host": url.netloc.decode(), **ALWAYS, **headers}
        if body is not None:
            always |= {"content-type": "application/json", "content-length": str(len(body))}
        return httpx2.Request(method, url, headers=always, stream=httpx2.ByteStream(body or b""), extensions=policy)

    def _changed(self, breaker: str, old: str, new: str) -> None:
        log.warning("breaker_changed", breaker=breaker, old=old, new=new)
        operation = breaker.removeprefix(f"{self._host}:")
        if new == "open":  # who waits for a place would be refused by the breaker then
            self.bulkhead.refuse(operation, BreakerOpen(breaker, self.breakers[operation].retry_after))
        self._breaker_changed(breaker, old, new)


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
