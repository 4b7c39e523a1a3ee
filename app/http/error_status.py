"""The only place where an error's status on the wire is chosen: the seed's table, or 200 with the error in the body.

The 1.x SDKs for Python end their session at any status but 200 and 202, and other clients lose the error's code and
data there. Everything inside of this middleware (the log, metrics, traces, the audit log) has the status of the table.
"""

from typing import Any, Literal

import orjson
from mcp_types import INVALID_REQUEST, PARSE_ERROR
from mcp_types.jsonrpc import HEADER_MISMATCH
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from mcp_server.protocol.http import ASSUMED_VERSION, accepted_types

ERRORS, CHALLENGES = 400, frozenset({401, 403})  # at a challenge clients sign in, or ask for more scopes
NOT_WELL_FORMED = frozenset({PARSE_ERROR, INVALID_REQUEST, HEADER_MISMATCH})
CLIENT_TYPES = frozenset({"application/json", "text/event-stream"})
"""What an MCP client must list (specification 2025-03-26 and later, transports)."""


class ErrorStatus:
    """Sends the error of a well-formed request of a 2025-era MCP client with status 200.

    An answer without the request's id keeps its status: no client would know what it answers.
    """

    def __init__(self, app: ASGIApp, mode: Literal["auto", "always"]) -> None:
        self.app, self._mode = app, mode

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self._mode == "always" or scope["type"] != "http" or (scope["path"], scope["method"]) != ("/mcp", "POST"):
            await self.app(scope, receive, send)
            return
        held: list[Message] = []

        async def respond(message: Message) -> None:
            if message["type"] == "http.response.start" and _may_change(message, scope):
                held.append(message)  # until the body says whether it answers a request
                return
            if held:
                message["body"] = _as_success(held[0], message["body"])
                await send(held.pop())
            await send(message)

        await self.app(scope, receive, respond)


def _may_change(start: Message, scope: Scope) -> bool:
    if start["status"] < ERRORS or start["status"] in CHALLENGES:
        return False
    headers = Headers(scope=scope)
    is_2025 = headers.get("mcp-protocol-version", ASSUMED_VERSION) in HANDSHAKE_PROTOCOL_VERSIONS
    is_json = Headers(raw=start["headers"]).get("content-type") == "application/json"
    return is_2025 and is_json and accepted_types(",".join(headers.getlist("accept"))) >= CLIENT_TYPES


def _as_success(start: Message, body: bytes) -> bytes:
    """Change the head `start` of an error answer; its body, with the status that it would have had."""
    answer: dict[str, Any] = orjson.loads(body)
    error = answer["error"]
    if answer["id"] is None or error["code"] in NOT_WELL_FORMED:
        return body
    if not isinstance(error.get("data"), str):  # a sentence, where a document has it so
        error["data"] = {**(error.get("data") or {}), "httpStatus": start["status"]}
    start["status"], body = 200, orjson.dumps(answer)
    MutableHeaders(scope=start)["content-length"] = str(len(body))
    return body
