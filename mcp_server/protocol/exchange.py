"""One POST and its answer: plain JSON with the status that belongs to it, or a stream if that cannot wait."""

import asyncio
from collections.abc import Awaitable, Mapping
from dataclasses import dataclass, field
from typing import Any, cast

import anyio
import mcp_types as types
import orjson
from mcp.server.connection import Connection
from mcp.server.lowlevel import Server
from mcp.server.runner import modern_error_data, serve_one
from mcp.server.streamable_http import REQUEST_CANCELLED
from mcp.shared.dispatcher import CallOptions
from mcp.shared.exceptions import NoBackChannelError
from mcp.shared.message import MessageMetadata, ServerMessageMetadata
from mcp.shared.transport_context import TransportContext
from starlette.requests import Request
from starlette.types import Receive, Scope, Send

from mcp_server.protocol.envelope import CANCELLED, Envelope
from mcp_server.request_context import RequestContext, current_context
from mcp_server.runtime import Runtime

KEEP_ALIVE_SECONDS = 15.0
"""Seconds of silence after which a stream is opened, and then kept alive: proxies close idle connections."""

WATCHED_AFTER = 0.05
"""Seconds after which a call has a task beside it, which keeps its stream alive and sees its client leave. Nearly all
calls end before, and cost no task.
"""

STREAM_HEADERS = [
    (b"content-type", b"text/event-stream"),
    (b"cache-control", b"no-cache, no-transform"),
    (b"x-accel-buffering", b"no"),
]

Running = dict[asyncio.Task[Any], RequestContext]
"""The tasks that serve requests, to be cancelled when serving ends. One whose client has cancelled it is not in it."""


class Exchange:
    """Answers one request. A client that leaves cancels it where there is a `receive`; one that reads no stream
    (`may_stream`) gets the answer alone.
    """

    def __init__(
        self, running: Running, send: Send, receive: Receive | None = None, *, may_stream: bool = True
    ) -> None:
        self._running, self._send, self._receive, self._may_stream = running, send, receive, may_stream
        self._is_streaming, self._writing = False, asyncio.Lock()

    async def event(self, data: bytes) -> None:
        """Send a part of the stream, which begins with the first. Waits for its reader: nothing piles up."""
        if not self._may_stream:
            return
        async with self._writing:
            if not self._is_streaming:
                await self._send({"type": "http.response.start", "status": 200, "headers": STREAM_HEADERS})
                self._is_streaming = True
            await self._send({"type": "http.response.body", "body": data, "more_body": True})

    async def answer(self, request_id: Any, result: Awaitable[dict[str, Any]], statuses: Mapping[int, int]) -> None:
        """Write the result, or the error that it raises. `statuses` are of error codes, if no refusal has its own."""
        task, beside = cast("asyncio.Task[Any]", asyncio.current_task()), list[asyncio.Task[None]]()
        timer = asyncio.get_running_loop().call_later(WATCHED_AFTER, self._watch, task, beside)
        self._running[task] = current_context.get()
        message = {"jsonrpc": "2.0", "id": request_id}
        try:
            message["result"] = await result
        except asyncio.CancelledError:
            if task in self._running:
                raise
            task.uncancel()  # HTTP has an answer all the same, whether it is read or not
            message["error"] = {"code": REQUEST_CANCELLED, "message": "Request cancelled"}
        except Exception as error:  # noqa: BLE001  the kernel's own mapping: it logs a bug and shows nothing of it
            message["error"] = modern_error_data(error).model_dump(mode="json", by_alias=True, exclude_none=True)
        finally:
            self._running.pop(task, None)
            timer.cancel()
            for each in beside:
                each.cancel()
            if beside:  # what is written now stands behind all that was
                await asyncio.wait(beside)
        if self._is_streaming:
            await self._send({"type": "http.response.body", "body": stream_event(message)})
            return
        status, body = 200, orjson.dumps(message)
        if "error" in message:
            refusal = current_context.get().refusal
            status = refusal.http_status if refusal else statuses.get(message["error"]["code"], 200)
        headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
        await self._send({"type": "http.response.start", "status": status, "headers": headers})
        await self._send({"type": "http.response.body", "body": body})

    def _watch(self, task: asyncio.Task[Any], beside: list[asyncio.Task[None]]) -> None:
        beside.append(asyncio.create_task(self._keep_alive()))
        if self._receive is not None:
            beside.append(asyncio.create_task(self._leave(self._receive, task)))

    async def _keep_alive(self) -> None:
        while True:
            await asyncio.sleep(KEEP_ALIVE_SECONDS)
            await self.event(b": keep-alive\n\n")

    async def _leave(self, receive: Receive, task: asyncio.Task[Any]) -> None:
        while (await receive())["type"] != "http.disconnect":
            pass
        _cancel(self._running, task)


def notified(running: Running, context: RequestContext, envelope: Envelope) -> None:
    """Cancel the request that a notification says is cancelled, where it is plain that its own client says so.

    All clients count their requests from 1, so the account, the address and the program have to be the same as well.
    """

    def sender(of: RequestContext, request_id: Any) -> tuple[Any, ...]:
        return of.caller, of.address, of.headers.get("user-agent"), request_id

    is_known = context.caller is not None and not context.caller.is_anonymous
    if envelope.method == CANCELLED and is_known:
        wanted = sender(context, (envelope.params or {}).get("requestId"))
        meant = [task for task, one in running.items() if one.envelope and sender(one, one.envelope.id) == wanted]
        if len(meant) == 1:
            _cancel(running, meant[0])


def _cancel(running: Running, task: asyncio.Task[Any]) -> None:
    """For its client, who wants it no more."""
    running.pop(task, None)
    task.cancel()


async def end(running: Running) -> None:
    """Cancel what still runs; called when serving ends."""
    tasks = list(running)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


def stream_event(message: Mapping[str, Any]) -> bytes:
    """A message as one event of a stream."""
    return b"event: message\ndata: " + orjson.dumps(message) + b"\n\n"


STATUS_OF_CODE = {
    types.PARSE_ERROR: 400,
    types.INVALID_REQUEST: 400,
    types.INVALID_PARAMS: 400,
    types.METHOD_NOT_FOUND: 404,
    types.INTERNAL_ERROR: 500,
}
"""The seed's table for the codes of JSON-RPC itself; the gateway's own refusals carry their status with them."""


@dataclass
class RequestDispatch:
    """The SDK's dispatch context for one request. There is no way back to the client but this answer."""

    transport: TransportContext
    request_id: str | int | None
    message_metadata: MessageMetadata
    progress_token: str | int | None
    exchange: Exchange
    cancel_requested: anyio.Event = field(default_factory=anyio.Event)
    can_send_request: bool = False

    async def send_raw_request(
        self, method: str, _params: Mapping[str, Any] | None, _opts: CallOptions | None = None
    ) -> dict[str, Any]:
        raise NoBackChannelError(method)

    async def notify(self, method: str, params: Mapping[str, Any] | None, _opts: CallOptions | None = None) -> None:
        message = {"jsonrpc": "2.0", "method": method, **({"params": params} if params is not None else {})}
        await self.exchange.event(stream_event(message))

    async def progress(self, progress: float, total: float | None = None, message: str | None = None) -> None:
        if self.progress_token is None:
            return
        params = {"progressToken": self.progress_token, "progress": progress, "total": total, "message": message}
        await self.notify(
            "notifications/progress", {name: value for name, value in params.items() if value is not None}
        )


def result(
    server: Server[Runtime], runtime: Runtime, envelope: Envelope, version: str, scope: Scope, exchange: Exchange
) -> Awaitable[dict[str, Any]]:
    """What the kernel makes of `envelope`, a request of a 2025-era client, without a session.

    The SDK's own transport for these revisions builds a connection, four streams and two tasks for every request, and
    commits to `200 text/event-stream` before the tool has run. Here the request goes straight to the server's kernel;
    the answer is plain JSON, with the status that belongs to it, unless the tool reports progress or takes long. In
    these revisions a client that goes away has not cancelled (specification, transports): the call runs on.
    """
    request = Request(scope)
    context = RequestDispatch(
        transport=TransportContext(kind="streamable-http", can_send_request=False, headers=request.headers),
        request_id=envelope.id,
        message_metadata=ServerMessageMetadata(request_context=request),
        progress_token=envelope.progress_token,
        exchange=exchange,
    )
    connection = Connection.from_envelope(version, None, None)
    return serve_one(server, context, envelope.method, envelope.params, connection=connection, lifespan_state=runtime)
