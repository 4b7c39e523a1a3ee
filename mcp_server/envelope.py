"""One POST body read once: which JSON-RPC message it is. Pure; what follows from it is decided elsewhere."""

from dataclasses import dataclass
from typing import Any, Literal

import orjson

from mcp_server.errors import InvalidRequest, ParseError

MAX_DEPTH = 64
"""Containers within containers. Tool arguments need four; what goes deeper is an attack on a recursive reader."""

MAX_ID_LENGTH = 1_000
"""Ids, methods and progress tokens are echoed: one of a megabyte would make the gateway an amplifier."""


@dataclass(frozen=True, slots=True)
class Envelope:
    """A well-formed JSON-RPC 2.0 message that a client may POST."""

    kind: Literal["request", "notification", "response"]
    method: str
    id: str | int | None
    params: dict[str, Any] | None

    @property
    def tool_name(self) -> str | None:
        """The tool that a `tools/call` names, if it names one."""
        if self.method != "tools/call" or self.params is None:
            return None
        name = self.params.get("name")
        return name if isinstance(name, str) else None

    @property
    def progress_token(self) -> str | int | None:
        token = _progress_token(self.params)
        return token if _is_id(token) else None


def parse(body: bytes) -> Envelope:
    """Read `body` (JSON-RPC 2.0 sections 4 and 5).

    Raises:
        ParseError: it is not JSON in UTF-8.
        InvalidRequest: it is JSON, but not one request, notification or response.

    """
    try:
        message = orjson.loads(body)
    except orjson.JSONDecodeError:
        raise ParseError from None
    if isinstance(message, list):
        raise InvalidRequest("Batches are not supported; send one message per request")
    if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
        raise InvalidRequest('The body must be one JSON-RPC object with "jsonrpc": "2.0"')
    if body.count(b"{") + body.count(b"[") > MAX_DEPTH and _depth(message) > MAX_DEPTH:
        raise InvalidRequest(f"The body is nested more than {MAX_DEPTH} levels deep")
    if "id" in message and not _is_id(message["id"]):
        raise InvalidRequest(f"id must be an integer or a string of at most {MAX_ID_LENGTH} characters")
    return _message(message)


def _message(message: dict[str, Any]) -> Envelope:
    identity, method, params = message.get("id"), message.get("method"), message.get("params")
    if "method" not in message and ("result" in message or "error" in message):
        return Envelope("response", "", identity, None)
    if not isinstance(method, str) or len(method) > MAX_ID_LENGTH:
        raise InvalidRequest(f"method must be a string of at most {MAX_ID_LENGTH} characters")
    if params is not None and not isinstance(params, dict):
        raise InvalidRequest("params must be an object")
    if len(str(_progress_token(params))) > MAX_ID_LENGTH:
        raise InvalidRequest(f"progressToken must not be longer than {MAX_ID_LENGTH} characters")
    return Envelope("request" if "id" in message else "notification", method, identity, params)


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
