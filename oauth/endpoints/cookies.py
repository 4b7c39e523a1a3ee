"""Cookies that only this host can set and read, and that no script sees."""

from datetime import timedelta
from urllib.parse import urlsplit

from starlette.requests import Request
from starlette.responses import Response

from oauth.errors import InvalidRequest
from oauth.flows.external_sign_in import StartedSignIn
from oauth.settings import OAuthSettings

PREFIX = "__Host-"
HTTP_PORT = 80
SESSION = "session"
LOGIN = "login"


class Cookies:
    """Sets, reads and clears cookies by their plain names.

    With https each is named `__Host-…` (RFC 6265bis section 4.1.3.2): browsers take it only from this host over
    TLS, so that a neighbouring subdomain cannot plant one. Browsers refuse that prefix over plain http, which
    is served on loopback only. There each is named after the port, which cookies ignore (RFC 6265 section 8.5): two
    gateways on one machine would overwrite each other's.
    """

    def __init__(self, settings: OAuthSettings) -> None:
        self._secure = settings.is_https
        self._prefix = PREFIX if self._secure else f"port-{urlsplit(settings.site_url).port or HTTP_PORT}-"

    def name(self, plain: str) -> str:
        return f"{self._prefix}{plain}"

    def get(self, request: Request, plain: str) -> str | None:
        return request.cookies.get(self.name(plain)) or None

    def names(self, request: Request, start: str) -> list[str]:
        """The plain names that begin with `start`, the oldest first (RFC 6265 section 5.4)."""
        full = self.name(start)
        return [start + name.removeprefix(full) for name in request.cookies if name.startswith(full)]

    def set(self, response: Response, plain: str, value: str, lifetime: timedelta) -> None:
        """Lax, not strict: a provider's redirect back to us is a cross-site navigation and must carry them."""
        response.set_cookie(
            self.name(plain),
            value,
            max_age=int(lifetime.total_seconds()),
            path="/",
            secure=self._secure,
            httponly=True,
            samesite="lax",
        )

    def clear(self, response: Response, plain: str) -> None:
        response.delete_cookie(self.name(plain), path="/", secure=self._secure, httponly=True, samesite="lax")


START = "sign-in-"
MAX_TICKET = 3_800
"""Browsers keep 4,096 bytes of a cookie, its name and attributes among them (RFC 6265 section 6.1)."""
MAX_COOKIES = 6
"""Those of older sign-ins go: a browser that begins many must not end up with headers that no proxy takes."""


class Tickets:
    """Puts tickets into a browser and takes them out again."""

    def __init__(self, settings: OAuthSettings) -> None:
        self._cookies, self._lifetime = Cookies(settings), settings.request

    def keep(self, request: Request, response: Response, started: StartedSignIn) -> None:
        """Let the browser hold the ticket.

        Raises `InvalidRequest`: it is too long, because what the sign-in leads on to is.
        """
        if len(started.ticket) > MAX_TICKET:
            raise InvalidRequest("The request is too long to be kept during a sign-in; send a shorter state.")
        for name in self._cookies.names(request, START)[: 1 - MAX_COOKIES]:
            self._cookies.clear(response, name)
        self._cookies.set(response, START + started.key, started.ticket, self._lifetime)

    def find(self, request: Request, key: str) -> str | None:
        """The ticket of this key, if this browser holds it."""
        return self._cookies.get(request, START + key)

    def drop(self, request: Request, response: Response, key: str) -> None:
        """Take it away."""
        if self.find(request, key) is not None:
            self._cookies.clear(response, START + key)
