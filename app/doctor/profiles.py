"""The known clients: what each sends and what each insists on, as seen in the autumn of 2026.

Facts, not code: when a client changes its behaviour, its entry changes here and nowhere else.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

LEGACY, MODERN = "2025-11-25", "2026-07-28"
"""The two protocol eras: with a handshake, and stateless."""


class Way(StrEnum):
    """How a client comes to its `client_id`."""

    DOCUMENT = "CIMD"
    DYNAMIC = "DCR"


@dataclass(frozen=True, slots=True)
class Profile:
    """One client.

    `ways` in its order of preference; `redirects` as it registers them, the first being the one it uses.
    """

    name: str
    title: str
    ways: tuple[Way, ...]
    redirects: tuple[str, ...]
    registration: tuple[tuple[str, Any], ...] = ()
    document: str = ""
    eras: tuple[str, ...] = (LEGACY,)
    user_agent: str = ""
    origin: str = ""
    moved_redirect: str = ""
    """The same redirect on the port that it takes when its own is busy (RFC 8252 section 7.3)."""
    hosted: bool = False
    """It connects from its maker's servers: only public https addresses are within its reach."""
    browser: bool = False
    """It runs in a web page, so that CORS decides what it may read."""
    exact_resource: bool = False
    """It compares the metadata's `resource` with the address that its user typed, byte for byte."""
    probes_metadata: bool = True
    """Without `resource_metadata` in the challenge it tries the well-known addresses."""
    without_metadata: bool = False
    """Without protected resource metadata it takes the gateway itself as authorization server (2025-03-26)."""
    wants_iss: bool = False
    """It uses its shared redirect only with servers that send `iss` (RFC 9207)."""

    @property
    def body(self) -> dict[str, Any]:
        """What it registers (RFC 7591 section 2)."""
        return {"redirect_uris": list(self.redirects), **dict(self.registration)}


INSPECTOR_ORIGIN = "http://localhost:6274"
FALL_BACK = "Answer an unknown version with 400 and JSON-RPC -32022, so that clients fall back (MCP versioning)."
FOREIGN = "https://attacker.example/callback"
"""A redirect that no client registered (RFC 2606 keeps the name from everybody)."""
MCP_HEADERS = "authorization,content-type,mcp-method,mcp-name,mcp-protocol-version,mcp-session-id"
"""What a page sends to an MCP endpoint."""
CODE = ("grant_types", ["authorization_code", "refresh_token"]), ("response_types", ["code"])
PUBLIC = (*CODE, ("token_endpoint_auth_method", "none"))
CHATGPT = "https://chatgpt.com"
ERAS = (MODERN, LEGACY)

PROFILES: tuple[Profile, ...] = (
    Profile(
        "chatgpt",
        "ChatGPT (client metadata document)",
        (Way.DOCUMENT,),
        (f"{CHATGPT}/connector_platform_oauth_redirect",),
        document=f"{CHATGPT}/oauth/client.json",
        eras=ERAS,
        user_agent="openai-mcp/1.0.0",
        hosted=True,
        exact_resource=True,
        wants_iss=True,
    ),
    Profile(
        "chatgpt-dcr",
        "ChatGPT (dynamic registration)",
        (Way.DYNAMIC,),
        (f"{CHATGPT}/connector/oauth/minds-gateway-doctor",),
        (("client_name", "ChatGPT"), *PUBLIC),
        eras=ERAS,
        user_agent="openai-mcp/1.0.0",
        hosted=True,
        exact_resource=True,
    ),
    Profile(
        "codex",
        "Codex",
        (Way.DOCUMENT, Way.DYNAMIC),
        ("http://127.0.0.1:1455/callback",),
        (("client_name", "Codex"), *PUBLIC),
        document=f"{CHATGPT}/oauth/codex/client.json",
        moved_redirect="http://127.0.0.1:1457/callback",
    ),
    Profile(
        "claude",
        "Claude (web, mobile, Desktop connectors)",
        (Way.DOCUMENT, Way.DYNAMIC),
        ("https://claude.ai/api/mcp/auth_callback",),
        (("client_name", "Claude"), *PUBLIC),
        document="https://claude.ai/oauth/mcp-oauth-client-metadata",
        eras=ERAS,
        origin="https://claude.ai",
        hosted=True,
        exact_resource=True,
        probes_metadata=False,
    ),
    Profile(
        "claude-code",
        "Claude Code",
        (Way.DOCUMENT, Way.DYNAMIC),
        ("http://localhost:54545/callback",),
        (("client_name", "Claude Code"), *PUBLIC),
        document="https://claude.ai/oauth/claude-code-client-metadata",
        eras=ERAS,
        moved_redirect="http://localhost:61616/callback",
        exact_resource=True,
        without_metadata=True,
    ),
    Profile(
        "cursor",
        "Cursor",
        (Way.DYNAMIC,),
        (
            "http://localhost:8787/callback",
            "https://www.cursor.com/agents/mcp/oauth/callback",
            "cursor://anysphere.cursor-mcp/oauth/callback",
        ),
        (("client_name", "Cursor"), *PUBLIC),
        moved_redirect="http://localhost:8788/callback",
        without_metadata=True,
    ),
    Profile(
        "vscode",
        "VS Code",
        (Way.DYNAMIC, Way.DOCUMENT),
        (
            "http://127.0.0.1:33418/",
            "https://insiders.vscode.dev/redirect",
            "https://vscode.dev/redirect",
            "http://127.0.0.1/",
        ),
        (
            ("client_name", "Visual Studio Code"),
            ("client_uri", "https://code.visualstudio.com"),
            *PUBLIC,
            ("application_type", "native"),
        ),
        document="https://vscode.dev/oauth/client-metadata.json",
        moved_redirect="http://127.0.0.1:50505/",
        probes_metadata=False,
    ),
    Profile(
        "gemini-cli",
        "Gemini CLI",
        (Way.DYNAMIC,),
        ("http://localhost:7777/oauth/callback",),
        (("client_name", "Gemini CLI MCP Client"), *PUBLIC),
        moved_redirect="http://localhost:7778/oauth/callback",
    ),
    Profile(
        "mcp-remote",
        "mcp-remote",
        (Way.DYNAMIC,),
        ("http://localhost:3334/oauth/callback",),
        (
            ("client_name", "MCP CLI Proxy"),
            ("client_uri", "https://github.com/modelcontextprotocol/mcp-cli"),
            ("software_id", "2e6dc280-f3c3-4e01-99a7-8181dbd1d23d"),
            ("software_version", "0.15.1"),
            *PUBLIC,
        ),
        eras=ERAS,
        without_metadata=True,
    ),
    Profile(
        "inspector",
        "MCP Inspector (in the browser)",
        (Way.DYNAMIC,),
        ("http://localhost:6274/oauth/callback",),
        (
            ("client_name", "MCP Inspector"),
            ("client_uri", "https://github.com/modelcontextprotocol/inspector"),
            *PUBLIC,
        ),
        eras=ERAS,
        origin=INSPECTOR_ORIGIN,
        browser=True,
        without_metadata=True,
    ),
    Profile(
        "python-sdk",
        "Python SDK (mcp)",
        (Way.DYNAMIC,),
        ("http://localhost:3030/callback",),
        (("client_name", "minds-gateway-doctor"), *CODE, ("application_type", "native")),
        eras=ERAS,
        without_metadata=True,
    ),
)

NAMES = tuple(profile.name for profile in PROFILES)


def chosen(names: tuple[str, ...]) -> tuple[Profile, ...]:
    """The clients of these names in their usual order; all of them when none is named."""
    return tuple(profile for profile in PROFILES if not names or profile.name in names)
