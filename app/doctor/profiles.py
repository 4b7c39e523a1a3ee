"""The known clients: what each sends and what each insists on. The facts are in `profiles.toml`."""

import tomllib
from dataclasses import field
from enum import StrEnum
from pathlib import Path
from typing import Any

from pydantic import ConfigDict, TypeAdapter
from pydantic.dataclasses import dataclass

LEGACY, MODERN = "2025-11-25", "2026-07-28"
"""The two protocol eras: with a handshake, and stateless."""


class Way(StrEnum):
    """How a client comes to its `client_id`."""

    DOCUMENT = "CIMD"
    DYNAMIC = "DCR"


@dataclass(frozen=True, config=ConfigDict(extra="forbid"))
class Profile:
    """One client.

    `ways` in its order of preference; `redirects` as it registers them, the first being the one it uses.
    """

    name: str
    title: str
    ways: tuple[Way, ...]
    redirects: tuple[str, ...]
    registration: dict[str, Any] = field(default_factory=dict)
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
        flow = {"grant_types": ["authorization_code", "refresh_token"], "response_types": ["code"]}
        return {"redirect_uris": list(self.redirects), **flow, **self.registration}


INSPECTOR_ORIGIN = "http://localhost:6274"
FOREIGN = "https://attacker.example/callback"
"""A redirect that no client registered (RFC 2606 keeps the name from everybody)."""
MCP_HEADERS = "authorization,content-type,mcp-method,mcp-name,mcp-protocol-version,mcp-session-id"
"""What a page sends to an MCP endpoint."""
ERAS = (MODERN, LEGACY)
PROFILES = TypeAdapter(tuple[Profile, ...]).validate_python(
    tomllib.loads(Path(__file__).with_name("profiles.toml").read_text("utf-8"))["client"]
)
NAMES = tuple(profile.name for profile in PROFILES)
