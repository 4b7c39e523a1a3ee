"""One POST body, or one line of stdio, read once: which message it is. What follows is decided elsewhere."""

from typing import Any, Literal, NamedTuple

import orjson

from mcp_server.errors import GatewayError, InvalidRequest, ParseError

MAX_DEPTH = 64
"""Containers within containers. Tool arguments need four; what goes deeper is an attack on a recursive reader."""

NO_MESSAGE = 'The body must be one JSON-RPC object with "jsonrpc": "2.0"'

MAX_ID_LENGTH = 1_000
"""Ids, methods and progress tokens are echoed: one of a megabyte would make the gateway an amplifier."""

CANCELLED = "notifications/cancelled"
LISTEN = "subscriptions/listen"
"""The request whose answer is a stream of changes, for as long as its client wants it (revision 2026-07-28)."""

ID_TYPES = (str, int)  # exactly: `true` is an integer to Python


class BodyTooLarge(GatewayError):
    """413; not in the seed's table, which leaves it to HTTP."""

    code, http_status, name, title = -32600, 413, "BODY_TOO_LARGE", "The body is larger than this server takes"

    def __init__(self, most: int = 0) -> None:
        super().__init__(f"{self.title}: at most {most:,} bytes" if most else None)


class Envelope(NamedTuple):
    """A well-formed JSON-RPC 2.0 message that a client may POST."""

    kind: Literal["request", "notification", "response"]
    method: str
    id: str | int | None
    params: dict[str, Any] | None
    progress_token: str | int | None = None
    tool_name: str | None = None
    """The tool that a `tools/call` names, if it names one."""


def parse(body: bytes) -> Envelope:
    """Read `body` (JSON-RPC 2.0 sections 4 and 5).

    Raises `ParseError`: it is not JSON in UTF-8; `InvalidRequest`: it is JSON, but not one request, notification or
    response. `request_id` is set if it has one.
    """
    try:
        message = orjson.loads(body)
    except orjson.JSONDecodeError:
        raise ParseError from None
    if isinstance(message, list):
        raise InvalidRequest("Batches are not supported; send one message per request")
    if not isinstance(message, dict):
        raise InvalidRequest(NO_MESSAGE)
    identity, method, params = message.get("id"), message.get("method"), message.get("params")
    meta = params.get("_meta") if isinstance(params, dict) else None
    token = meta.get("progressToken") if isinstance(meta, dict) else None
    is_response = "method" not in message and ("result" in message or "error" in message)
    is_id = type(identity) in ID_TYPES and len(str(identity)) <= MAX_ID_LENGTH
    # An error that answers nothing in particular (JSON-RPC 2.0 section 5) has no id; to answer it would never end.
    may_lack_id = "id" not in message or (identity is None and is_response and "error" in message)
    may_be_deep = body.count(b"{") + body.count(b"[") > MAX_DEPTH
    is_method = isinstance(method, str) and len(method) <= MAX_ID_LENGTH
    for is_sound, fault in (
        (message.get("jsonrpc") == "2.0", NO_MESSAGE),
        (not may_be_deep or _depth(message) <= MAX_DEPTH, f"The body is nested more than {MAX_DEPTH} levels deep"),
        (is_id or may_lack_id, f"id must be an integer or a string of at most {MAX_ID_LENGTH} characters"),
        (is_response or is_method, f"method must be a string of at most {MAX_ID_LENGTH} characters"),
        (is_response or params is None or isinstance(params, dict), "params must be an object"),
        (len(str(token)) <= MAX_ID_LENGTH, f"progressToken must not be longer than {MAX_ID_LENGTH} characters"),
    ):
        if not is_sound:
            # The id of a response is one of ours, and would be taken for another request's.
            raise InvalidRequest(fault, request_id=identity if is_id and not is_response else None)
    if is_response:
        return Envelope("response", "", identity, None)
    kind: Literal["request", "notification"] = "request" if "id" in message else "notification"
    name = params.get("name") if method == "tools/call" and params is not None else None
    token, name = token if type(token) in ID_TYPES else None, name if isinstance(name, str) else None
    return Envelope(kind, message["method"], identity, params, token, name)


def _depth(message: dict[str, Any]) -> int:
    """How deep containers stand in containers; without recursion, which is what this protects."""
    level: list[dict[Any, Any] | list[Any]] = [message]
    depth = 0
    while level:
        depth += 1
        level = [
            part
            for container in level
            for part in (container.values() if isinstance(container, dict) else container)
            if isinstance(part, dict | list)
        ]
    return depth
