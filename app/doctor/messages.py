"""JSON-RPC of both protocol eras: what a client sends, and the answer out of JSON or an event stream."""

import json
import re
from dataclasses import dataclass
from typing import Any

LEGACY, MODERN = "2025-11-25", "2026-07-28"
ERAS = (MODERN, LEGACY)
BOTH_TYPES = "application/json, text/event-stream"
NAME, VERSION = "minds-gateway-doctor", "1"
_TOOL_NAME = re.compile(r"[A-Za-z0-9_.-]{1,128}")


@dataclass(frozen=True, slots=True)
class Question:
    """A request of one era: its headers, and its JSON body."""

    headers: dict[str, str]
    body: dict[str, Any]

    @property
    def content(self) -> bytes:
        return json.dumps(self.body).encode()


def initialize() -> Question:
    """The handshake of the 2025 era."""
    told = {"protocolVersion": LEGACY, "capabilities": {}, "clientInfo": {"name": NAME, "version": VERSION}}
    return Question(_base(), _request("initialize", told))


def initialized(session: str) -> Question:
    """The notification that ends the handshake."""
    headers = {**_base(), "mcp-protocol-version": LEGACY, **_session(session)}
    return Question(headers, {"jsonrpc": "2.0", "method": "notifications/initialized"})


def ask(era: str, method: str, params: dict[str, Any] | None = None, session: str = "") -> Question:
    """A request of `era` (2026-07-28 transports for the headers, `_meta` on each request)."""
    given = dict(params or {})
    headers = {**_base(), "mcp-protocol-version": era}
    if era == LEGACY:
        return Question({**headers, **_session(session)}, _request(method, given))
    headers["mcp-method"] = method
    if "name" in given:
        headers["mcp-name"] = str(given["name"])
    return Question(headers, _request(method, {**given, "_meta": _meta()}))


def answer(body: bytes, media_type: str) -> dict[str, Any] | None:
    """The response in `body`; None while, or because, there is none.

    An event stream may hold notifications before it, so the first message with a result or an error counts.
    """
    texts = _events(body) if media_type == "text/event-stream" else [body]
    return next((found for text in texts if (found := _response(text)) is not None), None)


def result(body: bytes, media_type: str) -> dict[str, Any] | None:
    """The `result` of the response, when it has one."""
    found = (answer(body, media_type) or {}).get("result")
    return found if isinstance(found, dict) else None


def error_code(body: bytes, media_type: str) -> int | None:
    """The code of a JSON-RPC error."""
    error = (answer(body, media_type) or {}).get("error")
    code = error.get("code") if isinstance(error, dict) else None
    return code if isinstance(code, int) else None


def harmless_tool(listed: dict[str, Any] | None) -> str | None:
    """A tool that says it only reads and that needs no argument: the only kind that is called unasked."""
    tools = (listed or {}).get("tools")
    for tool in tools if isinstance(tools, list) else []:
        if isinstance(tool, dict) and _only_reads(tool) and not _required(tool) and _is_name(tool.get("name")):
            name: str = tool["name"]
            return name
    return None


def _only_reads(tool: dict[str, Any]) -> bool:
    hints = tool.get("annotations")
    return isinstance(hints, dict) and hints.get("readOnlyHint") is True


def _required(tool: dict[str, Any]) -> bool:
    schema = tool.get("inputSchema")
    return not isinstance(schema, dict) or bool(schema.get("required"))


def _is_name(name: object) -> bool:
    # It travels in a header, so it must be nothing but a name (2026-07-28, tools).
    return isinstance(name, str) and _TOOL_NAME.fullmatch(name) is not None


def _base() -> dict[str, str]:
    return {"accept": BOTH_TYPES, "content-type": "application/json"}


def _session(session: str) -> dict[str, str]:
    return {"mcp-session-id": session} if session else {}


def _request(method: str, params: dict[str, Any]) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}


def _meta() -> dict[str, Any]:
    prefix = "io.modelcontextprotocol/"
    return {
        f"{prefix}protocolVersion": MODERN,
        f"{prefix}clientCapabilities": {},
        f"{prefix}clientInfo": {"name": NAME, "version": VERSION},
    }


def _events(body: bytes) -> list[bytes]:
    """The data of the complete events: what follows the last blank line has not ended yet."""
    whole = body.replace(b"\r\n", b"\n").split(b"\n\n")[:-1]
    lines = ([line for line in event.split(b"\n") if line.startswith(b"data:")] for event in whole)
    return [b"\n".join(line.removeprefix(b"data:").strip() for line in event) for event in lines if event]


def _response(text: bytes) -> dict[str, Any] | None:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) and ("result" in found or "error" in found) else None
