"""Host, Origin and path: against DNS rebinding, against pages that call on a visitor's behalf, and against paths that
two readers would take for two different ones.
"""

import re
from collections.abc import Sequence
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from app.http.refusals import ForbiddenOrigin, MisdirectedRequest
from mcp_server.errors import InvalidRequest

LOOPBACK_NAMES = ("127.0.0.1", "localhost", "[::1]")
DEFAULT_PORTS = {"http": 80, "https": 443}
PROBES = frozenset({"/livez", "/readyz", "/metrics"})
"""Asked by address, by orchestrators and scrapers; they say nothing about anyone."""
PUBLIC = "/.well-known/"
"""Discovery documents: the same for everyone, and read by pages of any origin."""


class OriginRules:
    """Which Host headers name this server, and which origins may call it."""

    def __init__(self, site_url: str, own_url: str, origins: Sequence[str]) -> None:
        site, own_address = urlsplit(site_url), urlsplit(own_url)
        port = own_address.port or DEFAULT_PORTS["http"]
        local = {own_address.netloc, *(f"{name}:{port}" for name in LOOPBACK_NAMES)}
        if port == DEFAULT_PORTS["http"]:
            local |= set(LOOPBACK_NAMES)
        # The gateway calls its embedded API under one of these; no page can rebind a numeric or loopback name.
        self.hosts = {site.netloc, f"{site.hostname}:{site.port or DEFAULT_PORTS[site.scheme]}"} | local
        is_local = site.hostname in {name.strip("[]") for name in LOOPBACK_NAMES}
        own = {f"{site.scheme}://{host}" for host in (self.hosts if is_local else {site.netloc})}
        self.origins = frozenset({entry for entry in origins if "*" not in entry} | own)
        self.expression = "|".join(origin_expression(entry) for entry in origins if "*" in entry)

    @classmethod
    def nobody(cls) -> "OriginRules":
        """Rules for a server that no page may call but its own."""
        return cls("http://127.0.0.1", "http://127.0.0.1", ())

    def names_us(self, host: str) -> bool:
        return host.lower() in self.hosts

    def may_call(self, origin: str) -> bool:
        if origin in self.origins:
            return True
        return bool(self.expression) and re.fullmatch(self.expression, origin) is not None


def origin_expression(entry: str) -> str:
    """A `https://*.example.com` entry as a regular expression, to be matched whole: one or more labels before it."""
    scheme, _, host = entry.partition("://*.")
    return rf"{scheme}://(?:[a-z0-9-]+\.)+{re.escape(host)}"


class OriginMiddleware:
    """Refuses a foreign Host (421) and a foreign Origin (403). A client that is no browser sends no Origin."""

    def __init__(self, app: ASGIApp, rules: OriginRules) -> None:
        self.app, self.rules = app, rules

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            self._check(scope["path"], Headers(scope=scope))
        await self.app(scope, receive, send)

    def _check(self, path: str, headers: Headers) -> None:
        if not path.isprintable():
            raise InvalidRequest("The path holds characters that cannot be seen")  # `$` matches before a newline
        if path in PROBES:
            return
        hosts, origins = headers.getlist("host"), headers.getlist("origin")
        if len(hosts) != 1 or not self.rules.names_us(hosts[0]):
            raise MisdirectedRequest
        if not path.startswith(PUBLIC) and not self._may_call(origins):
            raise ForbiddenOrigin

    def _may_call(self, origins: list[str]) -> bool:
        return not origins or (len(origins) == 1 and self.rules.may_call(origins[0]))
