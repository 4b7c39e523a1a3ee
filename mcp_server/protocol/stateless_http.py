"""One POST of a 2025-era client, answered without a session: one request in, one answer out.

The SDK's own transport for these revisions builds a connection, four streams and two tasks for every request, and
commits to `200 text/event-stream` before the tool has run. Here the request goes straight to the server's kernel;
the answer is plain JSON, with the status that belongs to it, unless the tool reports progress or takes long.
"""

from collections.abc import Awaitable, Mapping
from dataclasses import dataclass, field
from typing import Any

import anyio
import mcp_types as types
from mcp.server.connection import Connection
from mcp.server.lowlevel import Server
from mcp.server.runner import serve_one
from mcp.shared.dispatcher import CallOptions
from mcp.shared.exceptions import NoBackChannelError
from mcp.shared.message import MessageMetadata, ServerMessageMetadata
from mcp.shared.transport_context import TransportContext
from starlette.requests import Request
from starlette.types import Scope

from mcp_server.protocol.envelope import Envelope
from mcp_server.protocol.exchange import Exchange, stream_event
from mcp_server.runtime import Runtime

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
    """What the kernel makes of `envelope`, a request.

    In these revisions a client that goes away has not cancelled (specification, transports): the call runs on.
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
