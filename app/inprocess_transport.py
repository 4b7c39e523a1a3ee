"""In-process ASGI transport: an httpx2 client speaks to an application of its own process, and answers stream.

httpx2's own `ASGITransport` collects the whole answer before it hands it over.
"""

import asyncio
from collections.abc import AsyncIterator
from contextvars import Context
from dataclasses import dataclass, field

import httpx2
import structlog
from starlette.types import ASGIApp, Message

from mcp_server.observability.tracing import current_request
from mcp_server.upstream.failure_mapping import Verdict

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
