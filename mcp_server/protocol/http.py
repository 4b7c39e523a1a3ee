"""`POST /mcp`, both eras on one URL. Who may come in was decided before; here only the protocol is spoken."""

import re
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from functools import lru_cache, partial
from typing import Any

import orjson
from mcp.server.lowlevel import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.shared.inbound import ERROR_CODE_HTTP_STATUS
from mcp_types import PROTOCOL_VERSION_META_KEY
from mcp_types.jsonrpc import HEADER_MISMATCH, UNSUPPORTED_PROTOCOL_VERSION
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, MODERN_PROTOCOL_VERSIONS
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from mcp_server.protocol.direct import DirectCalls
from mcp_server.protocol.envelope import Envelope
from mcp_server.protocol.exchange import STATUS_OF_CODE, Exchange, Running, end, notified, result
from mcp_server.request_context import current_context
from mcp_server.runtime import Runtime
from mcp_server.toolset import Tool

ASSUMED_VERSION = "2025-03-26"
"""What a client speaks that does not say (specification 2025-06-18 and later, transports)."""

SERVED_VERSIONS = (*HANDSHAKE_PROTOCOL_VERSIONS, *MODERN_PROTOCOL_VERSIONS)
LONGEST_ECHO = 64  # characters of an unknown version that are repeated to whoever sent it


class McpEndpoint:
    """An ASGI application for one POST whose envelope stands in the request context.

    `sessions` keeps a session per 2025-era client, which server-to-client requests need. The product never asks its
    clients anything in that era and runs without; the conformance fixtures do. Calls of the tools `direct` are answered
    without the protocol library's kernel, where they are usual.
    """

    def __init__(
        self,
        server: Server[Runtime],
        runtime: Runtime,
        max_body: int,
        direct: Mapping[str, Tool],
        *,
        sessions: bool = False,
    ) -> None:
        self._sessions = sessions
        self._direct = DirectCalls(server, runtime, {} if sessions else direct)
        self._kernels, self._running = partial(result, server, runtime), Running()
        self._lists: dict[str, orjson.Fragment] = {}
        # Host and Origin are checked at the edge, for every path and not only for this one.
        self._manager = StreamableHTTPSessionManager(
            server, stateless=not sessions, security_settings=None, max_request_body_size=max_body
        )

    @asynccontextmanager
    async def run(self) -> AsyncIterator[None]:
        """Open the runtime and serve until the context ends."""
        async with self._manager.run():
            try:
                yield
            finally:
                await end(self._running)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        context = current_context.get(None)
        if context is None or (envelope := context.envelope) is None:
            raise LookupError("the body has not been read")
        version = context.headers.get("mcp-protocol-version", ASSUMED_VERSION)
        accepted = accepted_types(",".join(context.headers.getlist("accept")) or "*/*")
        if (usual := self._direct.context(envelope, version, accepted, scope)) is not None:
            is_modern = version in MODERN_PROTOCOL_VERSIONS  # where leaving is cancelling
            exchange = Exchange(self._running, send, receive if is_modern else None)
            statuses = ERROR_CODE_HTTP_STATUS if is_modern else STATUS_OF_CODE
            await exchange.answer(envelope.id, self._direct.result(usual), statuses)
        elif context.narrowed is None and self._direct.is_plain_list(envelope, version, accepted, scope):
            exchange = Exchange(self._running, send)
            await exchange.answer(envelope.id, self._listed(envelope, version, scope, exchange), STATUS_OF_CODE)
        elif envelope.kind == "request" and (error := version_error(version, envelope)) is not None:
            body = orjson.dumps({"jsonrpc": "2.0", "id": envelope.id, "error": error})
            await Response(body, 400, media_type="application/json")(scope, receive, send)
        elif version not in HANDSHAKE_PROTOCOL_VERSIONS or self._sessions:
            # The SDK validates what calls itself modern, and answers with the modern versions served.
            await self._manager.handle_request(scope, receive, send)
        else:
            reads_stream = not accepted.isdisjoint({"*/*", "text/*", "text/event-stream"})
            if not reads_stream and accepted.isdisjoint({"application/*", "application/json"}):
                await Response(status_code=406)(scope, receive, send)
            elif envelope.kind != "request":
                # Nothing else waits for a notification or a response here: each request is served on its own.
                notified(self._running, context, envelope)
                await Response(status_code=202)(scope, receive, send)
            else:
                exchange = Exchange(self._running, send, may_stream=reads_stream)
                await exchange.answer(envelope.id, self._kernels(envelope, version, scope, exchange), STATUS_OF_CODE)

    async def _listed(self, envelope: Envelope, version: str, scope: Scope, exchange: Exchange) -> Any:
        """The tools, which the kernel lists once for each version."""
        if version not in self._lists:
            tools = await self._kernels(envelope, version, scope, exchange)
            self._lists[version] = orjson.Fragment(orjson.dumps(tools))
        return self._lists[version]


def version_error(version: str, envelope: Envelope) -> dict[str, Any] | None:
    """The specification's own error (2026-07-28, error codes) where header and body do not name one served version."""
    meta = (envelope.params or {}).get("_meta")
    if isinstance(meta, dict) and PROTOCOL_VERSION_META_KEY in meta:
        # The SDK compares them only where the header names a modern version; a missing one differs, too.
        if version in HANDSHAKE_PROTOCOL_VERSIONS and meta[PROTOCOL_VERSION_META_KEY] != version:
            return {"code": HEADER_MISMATCH, "message": "MCP-Protocol-Version differs from the version in _meta"}
    elif version not in SERVED_VERSIONS:
        # With the versions of both eras: nothing says which of them the client would rather speak.
        data = {"supported": list(SERVED_VERSIONS), "requested": version[:LONGEST_ECHO]}
        return {"code": UNSUPPORTED_PROTOCOL_VERSION, "message": "Unsupported protocol version", "data": data}
    return None


_REFUSED = re.compile(r";\s*q=0(?:\.0*)?\s*(?:;|$)")


@lru_cache(256)
def accepted_types(header: str) -> frozenset[str]:
    """The media types and ranges that an `Accept` names; clients send one of a few, so each is read once."""
    ranges = header.lower().split(",")
    return frozenset(part.partition(";")[0].strip() for part in ranges if not _REFUSED.search(part))
