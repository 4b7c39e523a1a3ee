"""The opened things: made cold, opened once by whoever serves, and closed by them. It is the SDK server's lifespan."""

from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from types import TracebackType
from typing import Any, Protocol, Self, TypeVar

import httpx2

from mcp_server.minds_api.api import Api
from mcp_server.minds_api.credentials import Credentials
from mcp_server.minds_api.dialect import Dialect
from mcp_server.observability.telemetry import Telemetry
from mcp_server.observability.tracing import Tracer
from mcp_server.settings import McpSettings
from mcp_server.toolkit.files import Files
from mcp_server.upstream.failure_mapping import BreakerChanged, unheard
from mcp_server.upstream.tracing_transport import TracingTransport

T = TypeVar("T")

CONNECTIONS = httpx2.Limits(max_connections=200, max_keepalive_connections=100)

IDLE_SECONDS = 4.0
"""For a connection to be kept: less than the 5 s of common servers, so that none is used as it is being closed."""

SPARE_CONNECTIONS = 8
"""Beside the calls that the bulkhead lets through, for what is not one: so that none of them waits for a connection."""


def connections(settings: McpSettings) -> httpx2.Limits:
    most = settings.upstream_concurrency + SPARE_CONNECTIONS
    kept = CONNECTIONS.max_keepalive_connections
    return httpx2.Limits(max_connections=most, max_keepalive_connections=kept, keepalive_expiry=IDLE_SECONDS)


def open_network(settings: McpSettings) -> httpx2.AsyncBaseTransport:
    """The way out, unless somebody hands in another."""
    return httpx2.AsyncHTTPTransport(limits=connections(settings), trust_env=False)


class OpensService(Protocol):
    """The one thing that the runtime wants of a toolset."""

    @property
    def open_service(self) -> Callable[["Runtime"], AbstractAsyncContextManager[Any]] | None:
        """Opens the toolset's service for as long as the runtime is open."""
        ...


async def at_once() -> None:
    """For an internal API that is there before this process is."""


class Runtime:
    """Settings, the internal API, a place for files, and one service per toolset.

    `transport` is the network's edge: tests hand in their own. `ready` waits for an internal API that is still
    starting; it is awaited before a call's deadline begins, so that a cold start is not taken for a slow answer.
    `dialect` is for an internal API whose dialect is known; any other is asked for it. `telemetry` counts, `tracer`
    makes spans, and `breaker_changed` is told of each change of a breaker, after the log.
    """

    def __init__(
        self,
        settings: McpSettings,
        toolsets: Sequence[OpensService],
        *,
        api_url: str,
        credentials: Credentials,
        files: Files,
        transport: httpx2.AsyncBaseTransport | None = None,
        telemetry: Telemetry | None = None,
        tracer: Tracer | None = None,
        ready: Callable[[], Awaitable[None]] = at_once,
        dialect: Dialect | None = None,
        breaker_changed: BreakerChanged = unheard,
    ) -> None:
        self.settings, self.files, self.ready = settings, files, ready
        self._changed = breaker_changed
        self._toolsets = toolsets
        self.telemetry, self.tracer = telemetry or Telemetry(), tracer
        network = transport or open_network(settings)
        self._client = httpx2.AsyncClient(
            transport=TracingTransport(network, self.telemetry, tracer),
            timeout=None,
            follow_redirects=False,  # a redirect would carry the credential to wherever it points
        )
        self.api = Api(
            self._client,
            api_url,
            credentials,
            settings,
            observe=self._observed,
            dialect=dialect,
            breaker_changed=self._breaker_changed,
        )
        self._services: dict[type, Any] = {}
        self._stack = AsyncExitStack()

    def _breaker_changed(self, breaker: str, old: str, new: str) -> None:
        self.telemetry.breaker_changed(breaker, old, new)
        self._changed(breaker, old, new)

    def _observed(self, operation: str, outcome: str, seconds: float) -> None:
        """A pause before one more try is no call, and one that found no place did not get as far as a call."""
        match outcome:
            case "retry":
                self.telemetry.retried(operation)
            case "busy":
                self.telemetry.bulkhead_refused(operation)
            case _:
                self.telemetry.upstream(operation, outcome, seconds)

    async def __aenter__(self) -> Self:
        await self._stack.enter_async_context(self._client)
        for toolset in self._toolsets:
            if toolset.open_service is not None:
                service = await self._stack.enter_async_context(toolset.open_service(self))
                self._services[type(service)] = service
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._stack.aclose()

    def get(self, wanted: type[T]) -> T:
        """The opened service of class `wanted`."""
        service: T = self._services[wanted]
        return service
