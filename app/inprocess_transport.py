"""The way from the gateway to the embedded API of its own process: loopback HTTP, or in process when the end has begun.

The API is a stranger that is reached over HTTP. But a process that is told to end closes its port before its running
calls are over, and what these still ask of the API would be refused.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from contextvars import Context

import httpx2
import structlog
from starlette.types import ASGIApp, Message, Scope

from app.process.shutdown import Drain

ENDING_SECONDS = 5.0
"""For requests whose asker has gone, when everything else has ended."""

log = structlog.get_logger(__name__)


class OwnWay(httpx2.AsyncBaseTransport):
    """`network`, until `drain` has begun; then straight to the application that `lead_to` named."""

    def __init__(self, network: httpx2.AsyncBaseTransport, drain: Drain) -> None:
        self._network, self._drain = network, drain
        self._app: ASGIApp | None = None
        self._running: set[asyncio.Task[None]] = set()

    def lead_to(self, app: ASGIApp) -> None:
        """`app` is what listens on the port."""
        self._app = app

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        if self._drain.begun and self._app is not None:
            return await self._inside(self._app, request)
        try:
            return await self._network.handle_async_request(request)
        except httpx2.ConnectError:
            # Nothing was sent; the signal and the end of the port came while it connected.
            if not self._drain.begun or self._app is None:
                raise
            return await self._inside(self._app, request)

    async def aclose(self) -> None:
        await self._network.aclose()
        if self._running:
            _, late = await asyncio.wait(self._running, timeout=ENDING_SECONDS)
            for task in late:
                task.cancel()

    async def _inside(self, app: ASGIApp, request: httpx2.Request) -> httpx2.Response:
        exchange = _Exchange(await request.aread())
        # As on a connection of its own: nothing of the caller's context is found by the API.
        task = asyncio.create_task(_serve(app, request, exchange), context=Context())
        self._running.add(task)
        task.add_done_callback(self._running.discard)
        task.add_done_callback(exchange.end)
        try:
            start = await exchange.answer.get()
        except asyncio.CancelledError:
            exchange.leave()
            raise
        if start is None:
            raise httpx2.RemoteProtocolError("The application ended without an answer.", request=request)
        return httpx2.Response(start["status"], headers=list(start.get("headers", [])), stream=_Body(exchange))


class _Exchange:
    """One request and its answer, message by message. Answers of the API are small, so they wait in memory."""

    def __init__(self, body: bytes) -> None:
        self._asked: Message | None = {"type": "http.request", "body": body, "more_body": False}
        self._gone = asyncio.Event()
        self.answer: asyncio.Queue[Message | None] = asyncio.Queue()

    async def receive(self) -> Message:
        asked, self._asked = self._asked, None
        if asked is not None:
            return asked
        await self._gone.wait()
        return {"type": "http.disconnect"}

    async def send(self, message: Message) -> None:
        """What is said to somebody who has left is not kept, as on a connection that is closed."""
        if not self._gone.is_set():
            self.answer.put_nowait(message)

    def leave(self) -> None:
        self._gone.set()

    def end(self, task: asyncio.Task[None]) -> None:
        self.answer.put_nowait(None)
        if not task.cancelled() and (fault := task.exception()) is not None:
            log.error("own_api_failed", exc_info=fault)


class _Body(httpx2.AsyncByteStream):
    """The answer's body, as it comes."""

    def __init__(self, exchange: _Exchange) -> None:
        self._exchange = exchange

    async def __aiter__(self) -> AsyncIterator[bytes]:
        while (message := await self._exchange.answer.get()) is not None:
            yield message.get("body", b"")
            if not message.get("more_body", False):
                return
        raise httpx2.RemoteProtocolError("The application ended in the middle of its answer.")

    async def aclose(self) -> None:
        self._exchange.leave()
        with suppress(asyncio.QueueEmpty):
            while True:
                self._exchange.answer.get_nowait()


async def _serve(app: ASGIApp, request: httpx2.Request, exchange: _Exchange) -> None:
    await app(_scope(request), exchange.receive, exchange.send)


def _scope(request: httpx2.Request) -> Scope:
    """As the port would have it (ASGI, HTTP connection scope), from this very machine."""
    url = request.url
    return {
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
