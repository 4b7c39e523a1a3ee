"""What the internal API is shown for a caller. The token that an MCP client holds is never it (minds-api.md 12.6)."""

import time
from collections.abc import Callable
from pkgutil import resolve_name
from typing import Any, Protocol

from pydantic import SecretStr

from mcp_server.caller import Caller
from mcp_server.errors import AuthenticationRequired, PermissionDenied

INTERNAL_AUDIENCE = "minds-internal-api"
INTERNAL_ISSUER = "minds-gateway"
DEMO_SUBJECT = "demo"
LIFETIME = 60  # seconds that a service token lives; it is made for one call


class Credentials(Protocol):
    """How a caller is shown to the internal API."""

    def bearer(self, caller: Caller) -> str:
        """The bearer credential for `caller`. Raises AuthenticationRequired: this caller has none."""


class OwnKey:
    """Towards the real API: the caller's own key and nothing else.

    `account_url` is where people link one to their account; a client that signed in has no other.
    """

    def __init__(self, account_url: str | None = None) -> None:
        self._account_url = account_url

    def bearer(self, caller: Caller) -> str:
        """The key.

        Raises `AuthenticationRequired`: nobody is signed in; `PermissionDenied`: somebody is, and has not linked a key;
        signing in again would not help them.
        """
        if caller.credential is not None:
            return caller.credential.get_secret_value()
        if caller.kind == "oauth" and self._account_url is not None:
            raise PermissionDenied(f"Link your Minds API key at {self._account_url}, then try again")
        raise AuthenticationRequired


class EmbeddedCredentials:
    """Towards the embedded API: a service token of at most a minute, signed with a secret that both halves of this
    installation hold. On stdio, where the caller's key is the process's own, that key.

    Over HTTP no caller of the embedded API has a `credential`: what it showed at `/mcp` stays there, and the token says
    its subject and scopes.
    """

    def __init__(self, secret: SecretStr, *, now: Callable[[], float] = time.time) -> None:
        self._secret, self._now = secret, now
        self._encode: Any = resolve_name("jwt:encode")  # on stdio with a remote gateway nothing else needs the library

    def bearer(self, caller: Caller) -> str:
        if caller.credential is not None:
            return caller.credential.get_secret_value()
        issued = int(self._now())
        claims = {
            "iss": INTERNAL_ISSUER,
            "aud": INTERNAL_AUDIENCE,
            "sub": caller.subject or DEMO_SUBJECT,
            "scope": " ".join(sorted(caller.scopes)),
            "iat": issued,
            "exp": issued + LIFETIME,
        }
        return str(self._encode(claims, self._secret.get_secret_value(), algorithm="HS256"))
