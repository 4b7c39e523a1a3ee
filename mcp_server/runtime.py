"""The opened things: made cold, opened once by whoever serves, and closed by them. It is the SDK server's lifespan."""

from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from types import TracebackType
from typing import Any, Protocol, Self, TypeVar

import httpx2

from mcp_server.credentials import Credentials
from mcp_server.dialect import Dialect
from mcp_server.faults import Observe
from mcp_server.files import Files
from mcp_server.settings import McpSettings
from mcp_server.upstream import Api

T = TypeVar("T")

CONNECTIONS = httpx2.Limits(max_connections=200, max_keepalive_connections=100)


class OpensService(Protocol):
    """The one thing that the runtime wants of a toolset."""

    @property
    def open_service(self) -> Callable[["Runtime"], AbstractAsyncContextManager[Any]] | None:
        """Opens the toolset's service for as long as the runtime is open."""
        ...


def unobserved(_operation: str, _outcome: str, _seconds: float) -> None:
    """For a process that nobody scrapes."""


async def at_once() -> None:
    """For an internal API that is there before this process is."""


class Runtime:
    """Settings, the internal API, a place for files, and one service per toolset.

    `transport` is the network's edge: tests hand in their own. `ready` waits for an internal API that is still
    starting; it is awaited before a call's deadline begins, so that a cold start is not taken for a slow answer.
    `dialect` is for an internal API whose dialect is known; any other is asked for it.
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
        observe: Observe = unobserved,
        ready: Callable[[], Awaitable[None]] = at_once,
        dialect: Dialect | None = None,
    ) -> None:
        self.settings, self.files, self.ready = settings, files, ready
        self._toolsets = toolsets
        self._client = httpx2.AsyncClient(
            transport=transport or httpx2.AsyncHTTPTransport(limits=CONNECTIONS, trust_env=False),
            timeout=None,
            follow_redirects=False,  # a redirect would carry the credential to wherever it points
        )
        self.api = Api(self._client, api_url, credentials, settings, observe=observe, dialect=dialect)
        self._services: dict[type, Any] = {}
        self._stack = AsyncExitStack()

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
