"""One POST body, or one line of stdio, read once: which message it is. What follows is decided elsewhere."""

from dataclasses import dataclass
from typing import Any, Literal

import orjson

from mcp_server.errors import GatewayError, InvalidRequest, ParseError

MAX_DEPTH = 64
"""Containers within containers. Tool arguments need four; what goes deeper is an attack on a recursive reader."""

NO_MESSAGE = 'The body must be one JSON-RPC object with "jsonrpc": "2.0"'

MAX_ID_LENGTH = 1_000
"""Ids, methods and progress tokens are echoed: one of a megabyte would make the gateway an amplifier."""


class BodyTooLarge(GatewayError):
    """413; not in the seed's table, which leaves it to HTTP."""

    code, http_status, name, title = -32600, 413, "BODY_TOO_LARGE", "The body is larger than this server takes"


@dataclass(frozen=True, slots=True)
class Envelope:
    """A well-formed JSON-RPC 2.0 message that a client may POST."""

    kind: Literal["request", "notification", "response"]
    method: str
    id: str | int | None
    params: dict[str, Any] | None
    progress_token: str | int | None = None

    @property
    def tool_name(self) -> str | None:
        """The tool that a `tools/call` names, if it names one."""
        if self.method != "tools/call" or self.params is None:
            return None
        name = self.params.get("name")
        return name if isinstance(name, str) else None


def parse(body: bytes) -> Envelope:
    """Read `body` (JSON-RPC 2.0 sections 4 and 5).

    Raises:
        ParseError: it is not JSON in UTF-8.
        InvalidRequest: it is JSON, but not one request, notification or response. `request_id` is set if it has one.

    """
    try:
        message = orjson.loads(body)
    except orjson.JSONDecodeError:
        raise ParseError from None
    if isinstance(message, list):
        raise InvalidRequest("Batches are not supported; send one message per request")
    if not isinstance(message, dict):
        raise InvalidRequest(NO_MESSAGE)
    identity, params = message.get("id"), message.get("params")
    is_response = "method" not in message and ("result" in message or "error" in message)
    meta = params.get("_meta") if isinstance(params, dict) else None
    token = meta.get("progressToken") if isinstance(meta, dict) else None
    may_be_deep = body.count(b"{") + body.count(b"[") > MAX_DEPTH
    if fault := _fault(message, token, is_response=is_response, may_be_deep=may_be_deep):
        # The id of a response is one of ours, and would be taken for another request's.
        raise InvalidRequest(fault, request_id=identity if _is_id(identity) and not is_response else None)
    if is_response:
        return Envelope("response", "", identity, None)
    kind: Literal["request", "notification"] = "request" if "id" in message else "notification"
    return Envelope(kind, message["method"], identity, params, token if _is_id(token) else None)


def _fault(message: dict[str, Any], token: Any, *, is_response: bool, may_be_deep: bool) -> str | None:
    """What is wrong with `message`, if anything is."""
    fault, identity, method, params = None, message.get("id"), message.get("method"), message.get("params")
    # An error that answers nothing in particular (JSON-RPC 2.0 section 5) has no id; to answer it would never end.
    may_be_null = is_response and "error" in message
    if message.get("jsonrpc") != "2.0":
        fault = NO_MESSAGE
    elif may_be_deep and _depth(message) > MAX_DEPTH:
        fault = f"The body is nested more than {MAX_DEPTH} levels deep"
    elif "id" in message and not _is_id(identity) and not (identity is None and may_be_null):
        fault = f"id must be an integer or a string of at most {MAX_ID_LENGTH} characters"
    elif is_response:
        fault = None
    elif not isinstance(method, str) or len(method) > MAX_ID_LENGTH:
        fault = f"method must be a string of at most {MAX_ID_LENGTH} characters"
    elif params is not None and not isinstance(params, dict):
        fault = "params must be an object"
    elif len(str(token)) > MAX_ID_LENGTH:
        fault = f"progressToken must not be longer than {MAX_ID_LENGTH} characters"
    return fault


def _is_id(value: Any) -> bool:
    if isinstance(value, str):
        return len(value) <= MAX_ID_LENGTH
    return isinstance(value, int) and not isinstance(value, bool)


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
