"""What the authorization server is told by its entry point."""

import ipaddress
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any
from urllib.parse import urlsplit

from pydantic import SecretStr


@dataclass(frozen=True, slots=True)
class OidcSettings:
    """An OpenID Connect issuer that signs people in, byte for byte as its discovery document names itself."""

    issuer: str
    client_id: str
    client_secret: SecretStr | None
    name: str = "your organisation"
    """What the button says: "Sign in with …"."""


@dataclass(frozen=True, slots=True)
class SupabaseSettings:
    """A Supabase project whose Google sign-in is used. `url` is its origin."""

    url: str
    key: SecretStr
    """The publishable ("anon") key of the project."""


@dataclass(frozen=True, slots=True)
class OAuthSettings:
    """Addresses are built from `site_url` alone, never from a Host header.

    Attributes:
        site_url: the issuer, byte for byte.
        scopes: what access tokens may hold: the union over the tools.
        clients: pre-registered ones, each in the words of RFC 7591, with `client_id` and perhaps `client_secret`.
        private_schemes: private-use schemes that registrations may redirect to (RFC 8252 section 7.1).
        fetch_allow_hosts: `host:port` that fetches may reach although private; for development and tests.
        embedded_sign_in: whether accounts of this gateway sign in with a password.
        introspection_secret: what callers of the introspection endpoint show; None closes it.
        code, request, grace, access, refresh, family, session, consent, unused_client, device: lifetimes.

    """

    site_url: str
    scopes: frozenset[str]
    clients: tuple[Mapping[str, Any], ...] = ()
    private_schemes: tuple[str, ...] = ("cursor", "vscode", "vscode-insiders", "claude", "com.openai.chatgpt")
    fetch_allow_hosts: tuple[str, ...] = ()
    embedded_sign_in: bool = True
    oidc: OidcSettings | None = None
    supabase: SupabaseSettings | None = None
    introspection_secret: SecretStr | None = field(default=None, repr=False)
    code: timedelta = timedelta(seconds=60)
    request: timedelta = timedelta(minutes=10)
    grace: timedelta = timedelta(seconds=30)
    access: timedelta = timedelta(hours=1)
    refresh: timedelta = timedelta(days=30)
    family: timedelta = timedelta(days=365)
    session: timedelta = timedelta(hours=12)
    consent: timedelta = timedelta(days=90)
    unused_client: timedelta = timedelta(days=1)
    device: timedelta = timedelta(minutes=10)

    @property
    def issuer(self) -> str:
        return self.site_url

    @property
    def resource(self) -> str:
        """The canonical URL of the MCP endpoint: the audience of access tokens."""
        return f"{self.site_url}/mcp"

    @property
    def api_resource(self) -> str:
        """The embedded internal API as a resource of its own: what a stdio process asks tokens for."""
        return f"{self.site_url}/api/v1"

    @property
    def resources(self) -> tuple[str, ...]:
        """All resources that tokens are issued for; the first is meant where none is named."""
        return (self.resource, self.api_resource)

    @property
    def rp_id(self) -> str | None:
        """The relying party of passkeys: the host of `site_url`, or None: WebAuthn takes no IP address."""
        host = urlsplit(self.site_url).hostname
        try:
            ipaddress.ip_address(host or "")
        except ValueError:
            return host
        return None

    @property
    def is_https(self) -> bool:
        return self.site_url.startswith("https://")
