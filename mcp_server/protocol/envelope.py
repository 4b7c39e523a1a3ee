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
    may_be_deep = body.count(b"{") + body.count(b"[") > MAX_DEPTH
    if fault := _fault(message, may_be_deep=may_be_deep):
        raise InvalidRequest(fault, request_id=_request_id(message))
    return _message(message)


def _fault(message: dict[str, Any], *, may_be_deep: bool) -> str | None:
    """What is wrong with `message`, if anything is."""
    if message.get("jsonrpc") != "2.0":
        return NO_MESSAGE
    if may_be_deep and _depth(message) > MAX_DEPTH:
        return f"The body is nested more than {MAX_DEPTH} levels deep"
    if "id" in message and not _is_id(message["id"]) and not _is_complaint(message):
        return f"id must be an integer or a string of at most {MAX_ID_LENGTH} characters"
    return None if _is_response(message) else _fault_of_request(message.get("method"), message.get("params"))


def _fault_of_request(method: Any, params: Any) -> str | None:
    if not isinstance(method, str) or len(method) > MAX_ID_LENGTH:
        return f"method must be a string of at most {MAX_ID_LENGTH} characters"
    if params is not None and not isinstance(params, dict):
        return "params must be an object"
    if len(str(_progress_token(params))) > MAX_ID_LENGTH:
        return f"progressToken must not be longer than {MAX_ID_LENGTH} characters"
    return None


def _message(message: dict[str, Any]) -> Envelope:
    identity = message.get("id")
    if _is_response(message):
        return Envelope("response", "", identity, None)
    kind: Literal["request", "notification"] = "request" if "id" in message else "notification"
    token = _progress_token(message.get("params"))
    return Envelope(kind, message["method"], identity, message.get("params"), token if _is_id(token) else None)


def _is_response(message: dict[str, Any]) -> bool:
    return "method" not in message and ("result" in message or "error" in message)


def _is_complaint(message: dict[str, Any]) -> bool:
    """An error that answers nothing in particular (JSON-RPC 2.0 section 5). To answer it would never end."""
    return "method" not in message and "error" in message and message.get("id") is None


def _request_id(message: dict[str, Any]) -> str | int | None:
    """The id that an error may carry. That of a response is one of ours, and would be taken for another request's."""
    identity = message.get("id")
    return identity if _is_id(identity) and not _is_response(message) else None


def _progress_token(params: dict[str, Any] | None) -> Any:
    meta = (params or {}).get("_meta")
    return meta.get("progressToken") if isinstance(meta, dict) else None


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
