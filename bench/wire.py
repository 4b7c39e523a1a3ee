"""The bytes of the one call that every server is sent, in both protocol eras."""

import json

import jwt

TOOL = "list_my_ai_personas"
ERAS = ("2025-11-25", "2026-07-28")
KEY = f"minds_{'0' * 48}"
JWT_SECRET = "only-for-the-benchmark-0123456789abcdef"


def signed_bearer() -> str:
    """The token that the peer with JWT verification accepts."""
    return jwt.encode({"iss": "bench", "aud": "bench", "sub": "bench", "exp": 4_000_000_000}, JWT_SECRET, "HS256")


def call(era: str, port: int, bearer: str, method: str = "tools/call") -> bytes:
    """One `tools/call`, or `tools/list`, as an HTTP/1.1 request."""
    name = TOOL if method == "tools/call" else None
    params: dict[str, object] = {"name": name, "arguments": {}} if name else {}
    if era >= "2026":
        params["_meta"] = {
            "io.modelcontextprotocol/protocolVersion": era,
            "io.modelcontextprotocol/clientCapabilities": {},
            "io.modelcontextprotocol/clientInfo": {"name": "bench", "version": "1"},
        }
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode()
    lines = [
        "POST /mcp HTTP/1.1",
        f"Host: 127.0.0.1:{port}",
        "Content-Type: application/json",
        "Accept: application/json, text/event-stream",
        f"Authorization: Bearer {bearer}",
        f"MCP-Protocol-Version: {era}",
        *([f"Mcp-Method: {method}"] if era >= "2026" else []),
        *([f"Mcp-Name: {name}"] if era >= "2026" and name else []),
        f"Content-Length: {len(body)}",
    ]
    return "\r\n".join([*lines, "", ""]).encode() + body
