"""The opened things: made cold, opened once by whoever serves, and closed by them. It is the SDK server's lifespan."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Protocol, Self, TypeVar
from urllib.parse import urlsplit

import httpx2
from pydantic_settings import BaseSettings

from mcp_server.minds_api.api import Api
from mcp_server.minds_api.credentials import Credentials
from mcp_server.minds_api.dialect import Dialect
from mcp_server.minds_api.name_index import NameIndex
from mcp_server.minds_api.operations import timeouts
from mcp_server.minds_api.replies import NAME, judge_reply
from mcp_server.observability.telemetry import Telemetry, no_op
from mcp_server.observability.tracing import Tracer
from mcp_server.settings import McpSettings
from mcp_server.toolkit.changes import Changes, Watch
from mcp_server.toolkit.files import Files
from mcp_server.toolkit.shared_lists import SharedLists
from mcp_server.toolkit.sources import Source
from mcp_server.toolkit.widgets import Live
from mcp_server.upstream.addresses import parse_hosts
from mcp_server.upstream.breaker import BreakerChanged, CircuitBreaker, Judge
from mcp_server.upstream.client import Upstream
from mcp_server.upstream.network import Network
from mcp_server.upstream.web import open_web

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncEngine

S = TypeVar("S", bound=BaseSettings)


class OpensService(Protocol):
    """What the runtime wants of a toolset: what opens its service for as long as the runtime is open, and what sees the
    changes in it.
    """

    @property
    def open_service(self) -> Callable[["Runtime"], AbstractAsyncContextManager[Any]] | None: ...

    @property
    def watch(self) -> Watch | None: ...


class Runtime:
    """Settings, the internal API, clients for other upstreams, a place for files, and one service per toolset.

    `transport` is the network towards the internal API: tests hand in their own. `ready` waits for an internal API that
    is still starting; it is awaited before a call's deadline begins, so that a cold start is not taken for a slow
    answer. `judge` says what its answers and faults mean for the breakers. `dialect` is the internal API's, where it
    is known; else it is found out. `telemetry` counts, `tracer` makes spans, and `breaker_changed` is called at
    each change of a breaker, after the log. `toolset_settings` is what the toolsets read from the environment.
    `site_url` is where people reach this gateway, empty on stdio; `database` is the gateway's, open and migrated, where
    a toolset needs it. `sources` are what toolsets let others search, `changes` those of their resources, and `lists`
    what all processes share, if anything. `live` is set where widgets can watch what goes on.
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
        judge: Judge = judge_reply,
        telemetry: Telemetry | None = None,
        tracer: Tracer | None = None,
        ready: Callable[[], Awaitable[None]] | None = None,
        dialect: Dialect | None = None,
        breaker_changed: BreakerChanged = no_op,
        toolset_settings: Sequence[BaseSettings] = (),
        site_url: str = "",
        database: "AsyncEngine | None" = None,
        lists: SharedLists | None = None,
    ) -> None:
        self.settings, self.files, self.ready = settings, files, ready
        self.site_url, self.database, self.lists = site_url, database, lists
        self.sources: dict[str, Source] = {}
        self.changes = Changes()
        self.live: Live = no_op
        self._changed = breaker_changed
        self._toolsets = toolsets
        self.telemetry, self.tracer = telemetry or Telemetry(), tracer
        self._upstreams: dict[str, tuple[object, Upstream]] = {}
        self.services: dict[type, Any] = {}
        self._toolset_settings = {type(one): one for one in toolset_settings}
        self._stack = AsyncExitStack()
        more = {"name": NAME, "timeouts": timeouts(settings), "judge": judge}
        api = self._open(transport or Network(), urlsplit(api_url).netloc, **more)
        self.api = Api(api, api_url, credentials, dialect=dialect)
        ttl, on_lookup = settings.cache_recent_spark, self.telemetry.cache("names")
        self.names = NameIndex(self.api, ttl=ttl, on_lookup=on_lookup)

    def upstream(
        self, url: str, *, name: str | None = None, timeouts: Mapping[str, float] | None = None
    ) -> httpx2.AsyncClient:
        """A client for the host of `url`, with a breaker, a bulkhead, retries and deadlines of its own.

        Whoever asks for the same host later gets the same one. `name` and `timeouts` are those of `Upstream`.
        Raises ValueError where they differ from those of the first who asked.
        """
        host, options = urlsplit(url).netloc, (name, timeouts)
        if host not in self._upstreams:
            more = {"name": name or host, "label": f"{host}:", "timeouts": timeouts}
            self._upstreams[host] = options, self._open(Network(), host, **more)
        opened_with, upstream = self._upstreams[host]
        if options not in (opened_with, (None, None)):
            raise ValueError(f"{host} is in use with another name or timeouts; ask for it without them")
        return upstream.client

    @property
    def breakers(self) -> Mapping[str, CircuitBreaker]:
        """Of the hosts that toolsets have opened, by `host:operation`."""
        opened = (upstream for _, upstream in self._upstreams.values())
        return {breaker.name: breaker for upstream in opened for breaker in upstream.breakers.values()}

    @cached_property
    def web(self) -> httpx2.AsyncClient:
        """A client for addresses that users name: private ones are refused, at each redirect again."""
        client = open_web(parse_hosts(",".join(self.settings.fetch_allow_hosts)))
        self._stack.push_async_callback(client.aclose)
        return client

    def _open(self, network: httpx2.AsyncBaseTransport, host: str, **more: Any) -> Upstream:
        upstream = Upstream(
            network,
            host,
            self.settings,
            telemetry=self.telemetry,
            tracer=self.tracer,
            breaker_changed=self._changed,
            **more,
        )
        self._stack.push_async_callback(upstream.client.aclose)
        return upstream

    async def __aenter__(self) -> Self:
        for toolset in self._toolsets:
            if toolset.open_service is not None:
                service = await self._stack.enter_async_context(toolset.open_service(self))
                self.services[type(service)] = service
                if toolset.watch is not None:
                    self.changes.watch(partial(toolset.watch, service))
        self._stack.push_async_callback(self.changes.aclose)
        return self

    async def __aexit__(self, *_raised: object) -> None:
        await self._stack.aclose()

    def settings_of(self, wanted: type[S]) -> S:
        """What a toolset reads from the environment: its class SETTINGS."""
        settings = self._toolset_settings[wanted]
        assert isinstance(settings, wanted)  # noqa: S101  it is found by its class
        return settings
