"""What known clients say about themselves, and stand-ins for the network and the store that they need."""

import asyncio
import json
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from oauth.primitives.fetching import Fetched, TooLarge
from oauth.settings import OAuthSettings
from oauth.stores.grants import GrantStore

NOW = datetime(2026, 11, 20, 9, 0, 0, 123_000, tzinfo=UTC)
SITE = "https://gw.example.com"
SCOPES = frozenset({"sparks:read", "sparks:write", "docs:read"})
SETTINGS = OAuthSettings(SITE, SCOPES)

BOTH = ["authorization_code", "refresh_token"]
REGISTRATIONS: dict[str, dict[str, Any]] = {
    "Claude": {
        "redirect_uris": ["https://claude.ai/api/mcp/auth_callback"],
        "grant_types": BOTH,
        "response_types": ["code"],
        "token_endpoint_auth_method": "none",
        "scope": "sparks:read offline_access",
    },
    "Claude with a secret": {
        "client_name": "Claude",
        "redirect_uris": ["https://claude.ai/api/mcp/auth_callback"],
        "grant_types": BOTH,
        "response_types": ["code"],
        "token_endpoint_auth_method": "client_secret_basic",
    },
    "ChatGPT": {
        "client_name": "ChatGPT",
        "redirect_uris": ["https://chatgpt.com/connector/oauth/pX3rV_8-q"],
        "grant_types": BOTH,
        "response_types": ["code"],
        "token_endpoint_auth_method": "none",
        "application_type": "web",
    },
    "Cursor": {
        "client_name": "Cursor",
        "client_uri": "https://cursor.com",
        "redirect_uris": [
            "cursor://anysphere.cursor-mcp/oauth/callback",
            "https://www.cursor.com/agents/mcp/oauth/callback",
            "http://localhost:8787/callback",
        ],
        "grant_types": BOTH,
        "response_types": ["code"],
        "token_endpoint_auth_method": "none",
    },
    "VS Code": {
        "client_name": "Visual Studio Code",
        "client_uri": "https://code.visualstudio.com",
        "grant_types": [*BOTH, "urn:ietf:params:oauth:grant-type:device_code"],
        "response_types": ["code"],
        "redirect_uris": [
            "https://insiders.vscode.dev/redirect",
            "https://vscode.dev/redirect",
            "http://127.0.0.1/",
            "http://127.0.0.1:33418/",
            "http://127.0.0.1:33418",
        ],
        "token_endpoint_auth_method": "none",
        "application_type": "native",
    },
    "mcp-remote": {
        "client_name": "MCP CLI Proxy",
        "client_uri": "https://github.com/modelcontextprotocol/mcp-cli",
        "redirect_uris": ["http://localhost:3335/oauth/callback"],
        "grant_types": BOTH,
        "response_types": ["code"],
        "token_endpoint_auth_method": "none",
        "software_id": "2e6dc280-f3c3-4e01-99a7-8181dbd1d23d",
        "software_version": "0.15.1",
    },
    "MCP Inspector": {
        "client_name": "MCP Inspector",
        "client_uri": "https://github.com/modelcontextprotocol/inspector",
        "redirect_uris": ["http://localhost:6274/oauth/callback", "http://localhost:6274/oauth/callback/debug"],
        "grant_types": BOTH,
        "response_types": ["code"],
        "token_endpoint_auth_method": "none",
        "scope": "sparks:read docs:read",
    },
    "Python SDK": {
        "redirect_uris": ["http://localhost:3030/callback"],
        "token_endpoint_auth_method": None,
        "grant_types": BOTH,
        "response_types": ["code"],
        "application_type": "native",
        "client_name": "simple client",
    },
}
"""By name of the client; the last one says null, as its older releases did."""


def body(words: object) -> bytes:
    return json.dumps(words).encode()


CLAUDE_CODE = "https://claude.ai/oauth/claude-code-client-metadata"
CHATGPT = "https://chatgpt.com/oauth/client.json"
DOCUMENTS: dict[str, dict[str, Any]] = {
    CHATGPT: {
        "client_id": CHATGPT,
        "client_name": "ChatGPT",
        "client_uri": "https://chatgpt.com",
        "redirect_uris": ["https://chatgpt.com/connector_platform_oauth_redirect"],
        "grant_types": BOTH,
        "response_types": ["code"],
        "token_endpoint_auth_method": "private_key_jwt",
        "token_endpoint_auth_methods_supported": ["none", "private_key_jwt"],
        "token_endpoint_auth_signing_alg": "RS256",
        "jwks_uri": "https://chatgpt.com/oauth/jwks.json",
    },
    CLAUDE_CODE: {
        "client_id": CLAUDE_CODE,
        "client_name": "Claude Code",
        "client_uri": "https://claude.ai",
        "redirect_uris": ["http://localhost/callback", "http://127.0.0.1/callback"],
        "grant_types": BOTH,
        "response_types": ["code"],
        "token_endpoint_auth_method": "none",
    },
    "https://vscode.dev/oauth/client-metadata.json": {
        "client_id": "https://vscode.dev/oauth/client-metadata.json",
        "client_name": "Visual Studio Code",
        "client_uri": "https://vscode.dev/product",
        "logo_uri": "https://vscode.dev/favicon.svg",
        "grant_types": [*BOTH, "urn:ietf:params:oauth:grant-type:device_code"],
        "response_types": ["code"],
        "redirect_uris": ["http://127.0.0.1:33418/", "https://vscode.dev/redirect"],
        "token_endpoint_auth_method": "none",
        "application_type": "native",
    },
}


@dataclass
class Web:
    """The network's edge: answers by address, and a note of what was asked. An exception is raised."""

    answers: dict[str, Fetched | Exception] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    gate: asyncio.Event | None = None

    async def __call__(self, url: str, *, max_bytes: int, seconds: float) -> Fetched:
        self.asked.append(url)
        if self.gate is not None:
            await self.gate.wait()
        answer = self.answers.get(url, Fetched(404, {}, b""))
        if isinstance(answer, Exception):
            raise answer
        if len(answer.body) > max_bytes:
            raise TooLarge
        return answer


def page(words: object, cache_control: str = "max-age=600") -> Fetched:
    """A JSON answer."""
    return Fetched(200, {"content-type": "application/json", "cache-control": cache_control}, body(words))


class Spent(GrantStore):
    """Remembers what was used, and until when."""

    def __init__(self) -> None:
        self.until: dict[str, datetime] = {}

    async def spend(self, handle: str, until: datetime) -> bool:
        return self.until.setdefault(handle, until) is until

    async def is_spent(self, handle: str) -> bool:
        return handle in self.until
