"""The small world of the gateway's tests: a real client, the real server, and a network that the test writes."""

import inspect
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from typing import Any, Literal

import httpx2
import mcp_types as types
import orjson
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.server.lowlevel import Server
from pydantic import SecretStr
from pydantic_settings import BaseSettings
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from mcp_server.caller import ANONYMOUS, Caller, current_caller
from mcp_server.factory import create_server
from mcp_server.limits.rules import Limits
from mcp_server.minds_api.credentials import Credentials, EmbeddedCredentials
from mcp_server.minds_api.dialect import Dialect
from mcp_server.observability.events import ToolCalled
from mcp_server.protocol.envelope import parse
from mcp_server.protocol.http import McpEndpoint
from mcp_server.request_context import RequestContext, current_context
from mcp_server.runtime import Runtime
from mcp_server.settings import McpSettings
from mcp_server.toolkit.files import Files, Link
from mcp_server.toolset import Toolset, discover

ALL_SCOPES = frozenset({"sparks:read", "sparks:write", "sparks:chat", "flows:read", "flows:write"})
ADA = Caller(kind="api_key", subject="ada", scopes=ALL_SCOPES, credential=SecretStr("minds_ada"))
BOB = Caller(kind="api_key", subject="bob", scopes=ALL_SCOPES, credential=SecretStr("minds_bob"))

API_URL = "http://api.test"
SECRET = SecretStr("a secret of both halves, for the tests only")

Era = Literal["auto", "legacy"]
ERAS: tuple[Era, ...] = ("auto", "legacy")
"""2026-07-28 and the revisions before it."""


@dataclass(frozen=True, slots=True)
class Reply:
    """One answer of the fake API."""

    body: Any = None
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)


Answer = Reply | Exception | Callable[[httpx2.Request], Reply | Awaitable[Reply]] | Sequence[Reply]
"""A reply, a fault, a function of the request, or replies one after the other (the last one stays)."""


class FakeApi(httpx2.AsyncBaseTransport):
    """The edge of the network. `answers` maps "GET /minds" to what comes back; `asked` is what left the process."""

    def __init__(self) -> None:
        self.answers: dict[str, Answer] = {}
        self.asked: list[httpx2.Request] = []
        self._turns: dict[str, int] = {}

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        await request.aread()
        self.asked.append(request)
        reply = await self._reply(f"{request.method} {request.url.path.removeprefix('/api/v1')}", request)
        content = reply.body if isinstance(reply.body, bytes) else orjson.dumps(reply.body)
        if reply.headers.get("content-type") == "text/event-stream":  # comes as from a network, not whole at once
            stream = httpx2.ByteStream(content)
            return httpx2.Response(reply.status, stream=stream, headers=dict(reply.headers), request=request)
        return httpx2.Response(reply.status, content=content, headers=dict(reply.headers), request=request)

    async def _reply(self, route: str, request: httpx2.Request) -> Reply:
        answer = self.answers.get(route)
        if answer is None:
            raise AssertionError(f"nothing answers {route}")
        if isinstance(answer, Exception):
            raise answer
        if isinstance(answer, Reply):
            return answer
        if callable(answer):
            made = answer(request)
            return await made if inspect.isawaitable(made) else made
        turn = self._turns.get(route, 0)
        self._turns[route] = turn + 1
        return answer[min(turn, len(answer) - 1)]

    def sent(self, route: str) -> list[httpx2.Request]:
        """The requests on `route`, such as "POST /minds", in order."""
        return [asked for asked in self.asked if f"{asked.method} {asked.url.path}" == route.replace(" ", " /api/v1")]

    def sent_json(self, route: str) -> list[Any]:
        return [orjson.loads(request.content) for request in self.sent(route)]


@dataclass
class FakeFiles:
    """Keeps in memory what was published: name, media type and content, by the link."""

    published: dict[str, tuple[str, str, bytes]] = field(default_factory=dict)

    async def publish(self, file_name: str, media_type: str, content: bytes, *, of: str = "") -> Link:
        url = f"https://gateway.test/exports/{len(self.published)}/{file_name}"
        self.published[url] = (file_name, media_type, content)
        return Link(url, "2026-11-20T10:00:00.000Z")


@dataclass
class Gateway:
    """The server, opened, with an edge that knows its callers."""

    server: Server[Runtime]
    runtime: Runtime
    endpoint: McpEndpoint
    events: list[ToolCalled]
    files: FakeFiles

    @asynccontextmanager
    async def connect(self, caller: Caller = ANONYMOUS, era: Era = "auto") -> AsyncIterator[Client]:
        """A client of the protocol library, over HTTP without a socket, that the edge takes for `caller`."""
        transport = httpx2.ASGITransport(app=self._edge(caller))
        http = httpx2.AsyncClient(transport=transport)
        async with (
            http,
            Client(streamable_http_client("http://gateway.test/mcp", http_client=http), mode=era) as client,
        ):
            yield client

    def _edge(self, caller: Caller) -> ASGIApp:
        async def edge(scope: Scope, receive: Receive, send: Send) -> None:
            request = Request(scope, receive)
            if request.method != "POST":
                await Response(status_code=405)(scope, receive, send)
                return
            body = await request.body()
            shared = current_context.set(RequestContext("", request.headers, caller=caller, envelope=parse(body)))
            try:
                with signed_in(caller):
                    await self.endpoint(scope, _replay(body, receive), send)
            finally:
                current_context.reset(shared)

        return edge


@contextmanager
def signed_in(caller: Caller) -> Iterator[None]:
    """`caller` for the block and no longer: tests of one process may share a context."""
    token = current_caller.set(caller)
    try:
        yield
    finally:
        current_caller.reset(token)


def _replay(body: bytes, receive: Receive) -> Receive:
    parts = [{"type": "http.request", "body": body, "more_body": False}]

    async def again() -> Any:
        return parts.pop() if parts else await receive()

    return again


def settings(**values: Any) -> McpSettings:
    """Settings as they are by default, whatever the environment says."""
    return McpSettings(_env_file=None, **values)


@asynccontextmanager
async def serve(
    api: httpx2.AsyncBaseTransport,
    toolsets: Sequence[Toolset] | None = None,
    *,
    credentials: Credentials | None = None,
    dialect: Dialect | None = Dialect.CURRENT,
    own: Sequence[BaseSettings] = (),
    **values: Any,
) -> AsyncIterator[Gateway]:
    """The gateway with `api` behind it; `values` are settings, `own` those of the toolsets. Without a dialect, that of
    `api` is found out.
    """
    chosen, events, files = list(toolsets or discover(["personas"])), list[ToolCalled](), FakeFiles()
    runtime = _runtime(api, chosen, credentials, values, dialect, files, own)
    server = create_server(runtime, chosen, record=events.append)
    tools = {tool.name: tool for toolset in chosen for tool in toolset.tools}
    endpoint = McpEndpoint(server, runtime, 4 * 1024 * 1024, tools)
    async with endpoint.run():
        yield Gateway(server, runtime, endpoint, events, files)


@asynccontextmanager
async def connect(
    api: FakeApi, caller: Caller = ANONYMOUS, era: Era = "auto", toolsets: Sequence[Toolset] | None = None
) -> AsyncIterator[Client]:
    """A client of a gateway of its own."""
    async with serve(api, toolsets) as gateway, gateway.connect(caller, era) as client:
        yield client


@asynccontextmanager
async def connect_without_http(
    api: FakeApi,
    caller: Caller = ANONYMOUS,
    era: Era = "auto",
    *,
    credentials: Credentials | None = None,
    limits: Limits | None = None,
) -> AsyncIterator[Client]:
    """A client in the same process, for which the caller was set once, as on stdio."""
    chosen = discover(["personas"])
    with signed_in(caller):
        server = create_server(_runtime(api, chosen, credentials, {}), chosen, limits=limits)
        async with Client(server, mode=era) as client:
            yield client


def _runtime(
    api: httpx2.AsyncBaseTransport,
    toolsets: Sequence[Toolset],
    credentials: Credentials | None,
    values: Mapping[str, Any],
    dialect: Dialect | None = Dialect.CURRENT,
    files: Files | None = None,
    own: Sequence[BaseSettings] = (),
) -> Runtime:
    return Runtime(
        settings(**values),
        toolsets,
        api_url=API_URL,
        credentials=credentials or EmbeddedCredentials(SECRET),
        files=files or FakeFiles(),
        transport=api,
        dialect=dialect,
        toolset_settings=own,
    )


@dataclass
class Clock:
    """What a test says that the time is."""

    now: float = 1_000_000.0

    def __call__(self) -> float:
        return self.now


def text_of(result: types.CallToolResult) -> str:
    """All that a host without a user interface shows."""
    return "\n".join(part.text for part in result.content if isinstance(part, types.TextContent))


def failure_of(result: types.CallToolResult) -> dict[str, Any]:
    """`{code, message, …}` of a call that failed; the text says the same."""
    assert result.is_error is True
    error: dict[str, Any] = (result.structured_content or {})["error"]
    assert text_of(result) == f"{error['code']}: {error['message']}"
    return error
