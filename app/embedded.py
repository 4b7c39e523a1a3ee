"""The embedded internal API, opened with what the composition roots have, one for HTTP and one behind stdio; and how it
is called in process: an httpx2 client speaks to an application of its own process, and answers stream.

httpx2's own `ASGITransport` collects the whole answer before it hands it over.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextvars import Context
from dataclasses import dataclass, field

import httpx2
import structlog
from pydantic import SecretStr
from sqlalchemy.ext.asyncio import AsyncEngine
from starlette.types import ASGIApp, Message

from app.internal_api.engines.chat.engine import create_engine
from app.internal_api.engines.settings import EngineSettings
from app.internal_api.factory import InternalApi, create_internal_api
from app.internal_api.knowledge.documents import SourceRefused
from app.internal_api.principals import Principals
from app.internal_api.settings import InternalApiSettings
from mcp_server.observability.tracing import current_request
from mcp_server.upstream.addresses import AddressRefused, AllowedHosts, parse_hosts
from mcp_server.upstream.failure_mapping import Verdict
from mcp_server.upstream.web import Resolve, check_link, open_web, resolve_host


def link_check(allow: AllowedHosts, resolve: Resolve = resolve_host) -> Callable[[str], Awaitable[None]]:
    """A check of links when they are given, so that nothing is begun for one that will never be fetched."""

    async def admit(link: str) -> None:
        try:
            await check_link(link, allow, resolve=resolve)
        except AddressRefused as refused:
            raise SourceRefused(refused.code, str(refused)) from None

    return admit


def open_embedded(
    engine: AsyncEngine, principals: Principals, fetch_allow_hosts: Sequence[str], secret: SecretStr
) -> InternalApi:
    """The embedded API on `engine`; its own settings come from the environment, as every process's do.

    `secret` is what the installation shares; links to files are signed with a key of their own that is made from it.
    The web client is made here; whoever runs the API opens and closes it, too.
    """
    allow = parse_hosts(",".join(fetch_allow_hosts))
    web = open_web(allow)
    return create_internal_api(
        engine=engine,
        principals=principals,
        web=web,
        settings=InternalApiSettings(),
        persona_engine=create_engine(EngineSettings()),
        admit_link=link_check(allow),
        secret=secret,
    )


ENDING_SECONDS = 5.0
"""For requests that are still running when the transport is closed; then they are cancelled."""

log = structlog.get_logger(__name__)


def judge_inprocess(_outcome: httpx2.Response | Exception) -> Verdict:
    """Nothing: there is no server to be left alone. What fails is the database of all processes, which is back at once
    when it is back.
    """
    return Verdict.IGNORE


class InProcessTransport(httpx2.AsyncBaseTransport):
    """Runs `app` in a task for each request.

    As over a connection, the application sees none of the caller's context variables, and a caller that is cancelled
    or closes the answer early is an `http.disconnect`.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._running: set[asyncio.Task[None]] = set()

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        exchange = _Exchange({"type": "http.request", "body": await request.aread(), "more_body": False})
        task = asyncio.create_task(self._serve(request, exchange), context=Context())
        self._running.add(task)
        task.add_done_callback(self._running.discard)
        try:
            start = await exchange.answer.get()
        except asyncio.CancelledError:
            exchange.disconnected.set()
            raise
        if start is None:
            raise httpx2.RemoteProtocolError("The application ended without an answer.", request=request)
        return httpx2.Response(start["status"], headers=list(start.get("headers", [])), stream=exchange)

    async def aclose(self) -> None:
        if self._running:
            _, late = await asyncio.wait(self._running, timeout=ENDING_SECONDS)
            for task in late:
                task.cancel()

    async def _serve(self, request: httpx2.Request, exchange: "_Exchange") -> None:
        if (request_id := request.headers.get("x-request-id")) is not None:
            current_request.set(request_id)  # so that its log lines are found beside the caller's
        url = request.url
        scope = {  # as a server on a loopback port would make it (ASGI, HTTP connection scope)
            "type": "http",
            "asgi": {"version": "3.0", "spec_version": "2.3"},
            "http_version": "1.1",
            "method": request.method,
            "headers": [(name.lower(), value) for name, value in request.headers.raw],
            "scheme": url.scheme,
            "path": url.path,
            "raw_path": url.raw_path.partition(b"?")[0],
            "query_string": url.query,
            "server": (url.host, url.port),
            "client": ("127.0.0.1", 0),
            "root_path": "",
            "state": {},
        }
        try:
            await self._app(scope, exchange.receive, exchange.send)
        except Exception:
            log.exception("inprocess_application_failed")
        finally:
            exchange.answer.put_nowait(None)


@dataclass(eq=False)
class _Exchange(httpx2.AsyncByteStream):
    """One request and the body of its answer. Messages wait in memory: the answers of the API are small."""

    request: Message | None
    disconnected: asyncio.Event = field(default_factory=asyncio.Event)
    answer: asyncio.Queue[Message | None] = field(default_factory=asyncio.Queue)

    async def receive(self) -> Message:
        request, self.request = self.request, None
        if request is not None:
            return request
        await self.disconnected.wait()
        return {"type": "http.disconnect"}

    async def send(self, message: Message) -> None:
        if not self.disconnected.is_set():
            self.answer.put_nowait(message)

    async def __aiter__(self) -> AsyncIterator[bytes]:
        while (message := await self.answer.get()) is not None:
            yield message.get("body", b"")
            if not message.get("more_body", False):
                return
        raise httpx2.RemoteProtocolError("The application ended in the middle of its answer.")

    async def aclose(self) -> None:
        self.disconnected.set()
