"""One POST of a 2025-era client, answered without a session: one request in, one answer out.

The SDK's own transport for these revisions builds a connection, four streams and two tasks for every request, and
commits to `200 text/event-stream` before the tool has run. Here the request goes straight to the server's kernel;
the answer is plain JSON, with the status that belongs to it, unless the tool reports progress or takes long.
"""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import anyio
import mcp_types as types
import orjson
from mcp.server.connection import Connection
from mcp.server.lowlevel import Server
from mcp.server.runner import modern_error_data, serve_one
from mcp.shared.dispatcher import CallOptions
from mcp.shared.exceptions import NoBackChannelError
from mcp.shared.message import MessageMetadata, ServerMessageMetadata
from mcp.shared.transport_context import TransportContext
from starlette.requests import Request
from starlette.types import Scope, Send

from mcp_server.protocol.envelope import Envelope
from mcp_server.request_context import current_context
from mcp_server.runtime import Runtime

KEEP_ALIVE_SECONDS = 15.0
"""Seconds of silence after which a stream is opened, and then kept alive: proxies close idle connections."""

MAX_WAITING = 100
"""Notifications that wait for a slow reader; beyond them they are dropped, and the call goes on."""

STREAM_HEADERS = [
    (b"content-type", b"text/event-stream"),
    (b"cache-control", b"no-cache, no-transform"),
    (b"x-accel-buffering", b"no"),
]

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
    outbox: asyncio.Queue[bytes | None]
    cancel_requested: anyio.Event = field(default_factory=anyio.Event)
    can_send_request: bool = False

    async def send_raw_request(
        self, method: str, _params: Mapping[str, Any] | None, _opts: CallOptions | None = None
    ) -> dict[str, Any]:
        raise NoBackChannelError(method)

    async def notify(self, method: str, params: Mapping[str, Any] | None, _opts: CallOptions | None = None) -> None:
        if self.outbox.qsize() >= MAX_WAITING:
            return
        message = {"jsonrpc": "2.0", "method": method, **({"params": params} if params is not None else {})}
        self.outbox.put_nowait(stream_event(message))

    async def progress(self, progress: float, total: float | None = None, message: str | None = None) -> None:
        if self.progress_token is None:
            return
        params = {"progressToken": self.progress_token, "progress": progress, "total": total, "message": message}
        await self.notify(
            "notifications/progress", {name: value for name, value in params.items() if value is not None}
        )


class StatelessHttp:
    """Answers requests of the revisions 2025-03-26 to 2025-11-25."""

    def __init__(self, server: Server[Runtime], runtime: Runtime) -> None:
        self._server, self._runtime = server, runtime
        self._running: set[asyncio.Task[dict[str, Any]]] = set()

    async def answer(self, envelope: Envelope, version: str, scope: Scope, send: Send, *, may_stream: bool) -> None:
        """Serve `envelope`, which is a request, and write its answer.

        In these revisions a client that goes away has not cancelled (specification, transports): the call runs on.
        """
        outbox: asyncio.Queue[bytes | None] = asyncio.Queue()
        task = asyncio.create_task(self._serve(envelope, version, Request(scope), outbox))
        self._running.add(task)
        task.add_done_callback(self._running.discard)
        task.add_done_callback(lambda _done: outbox.put_nowait(None))
        is_stream = False
        while may_stream:
            try:
                frame = await asyncio.wait_for(outbox.get(), KEEP_ALIVE_SECONDS)
            except TimeoutError:
                frame = b": keep-alive\n\n"
            if frame is None:
                break
            if not is_stream:
                await send({"type": "http.response.start", "status": 200, "headers": STREAM_HEADERS})
                is_stream = True
            await send({"type": "http.response.body", "body": frame, "more_body": True})
        await asyncio.wait([task])  # a client that cannot read a stream gets the answer alone
        message = task.result()
        if is_stream:
            await send({"type": "http.response.body", "body": stream_event(message)})
            return
        status, body = 200, orjson.dumps(message)
        if "error" in message:
            refusal = current_context.get().refusal
            status = refusal.http_status if refusal else STATUS_OF_CODE.get(message["error"]["code"], 200)
        headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": body})

    async def close(self) -> None:
        """Cancel what still runs; called when serving ends."""
        for task in self._running:
            task.cancel()
        await asyncio.gather(*self._running, return_exceptions=True)

    async def _serve(
        self, envelope: Envelope, version: str, request: Request, outbox: asyncio.Queue[bytes | None]
    ) -> dict[str, Any]:
        context = RequestDispatch(
            transport=TransportContext(kind="streamable-http", can_send_request=False, headers=request.headers),
            request_id=envelope.id,
            message_metadata=ServerMessageMetadata(request_context=request),
            progress_token=envelope.progress_token,
            outbox=outbox,
        )
        connection = Connection.from_envelope(version, None, None)
        try:
            result = await serve_one(
                self._server,
                context,
                envelope.method,
                envelope.params,
                connection=connection,
                lifespan_state=self._runtime,
            )
        except Exception as error:  # noqa: BLE001  the kernel's own mapping: it logs a bug and shows nothing of it
            data = modern_error_data(error).model_dump(mode="json", by_alias=True, exclude_none=True)
            return {"jsonrpc": "2.0", "id": envelope.id, "error": data}
        return {"jsonrpc": "2.0", "id": envelope.id, "result": result}


def stream_event(message: dict[str, Any]) -> bytes:
    """One event of a stream."""
    return b"event: message\ndata: " + orjson.dumps(message) + b"\n\n"
