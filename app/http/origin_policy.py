"""Host, Origin, CORS and path: against DNS rebinding, against pages that call on a visitor's behalf, and against paths
that two readers would take for two different ones.
"""

import re
import tomllib
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.middleware.cors import CORSMiddleware
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from app.http.refusals import PAGE, ForbiddenOrigin, MisdirectedRequest
from app.settings import Settings
from mcp_server.errors import InvalidRequest
from mcp_server.limits.headers import EXPOSED
from mcp_server.request_context import current_context
from mcp_server.toolkit.widgets import LIVE_PATH

LOOPBACK_NAMES = ("127.0.0.1", "localhost", "[::1]")
DEFAULT_PORTS = {"http": 80, "https": 443}
PROBES = frozenset({"/livez", "/readyz", "/metrics"})
"""Asked by address, by orchestrators and scrapers; they say nothing about anyone."""
PUBLIC = ("/.well-known/", LIVE_PATH)
"""Read by pages of any origin: discovery documents, the same for everyone, and what a widget watches by its token."""
CORS = tomllib.loads(Path(__file__).with_name("cors.toml").read_text("utf-8"))


class OriginRules:
    """Which Host headers name this server, and which origins may call it."""

    def __init__(self, site_url: str, own_url: str, origins: Sequence[str]) -> None:
        site, own_address = urlsplit(site_url), urlsplit(own_url)
        port = own_address.port or DEFAULT_PORTS["http"]
        local = {own_address.netloc, *(f"{name}:{port}" for name in LOOPBACK_NAMES)}
        if port == DEFAULT_PORTS["http"]:
            local |= set(LOOPBACK_NAMES)
        # No page can rebind a numeric or loopback name.
        self.hosts = {site.netloc, f"{site.hostname}:{site.port or DEFAULT_PORTS[site.scheme]}"} | local
        is_local = site.hostname in {name.strip("[]") for name in LOOPBACK_NAMES}
        own = {f"{site.scheme}://{host}" for host in (self.hosts if is_local else {site.netloc})}
        self.origins = frozenset({entry for entry in origins if "*" not in entry} | own)
        # `https://*.example.com`, to be matched whole: one or more labels before it.
        parts = (entry.partition("://*.") for entry in origins if "*" in entry)
        self.expression = "|".join(rf"{scheme}://(?:[a-z0-9-]+\.)+{re.escape(host)}" for scheme, _, host in parts)

    @classmethod
    def of(cls, settings: Settings) -> "OriginRules":
        return cls(settings.site_url, settings.own_url, settings.cors_origins)

    def may_call(self, origin: str) -> bool:
        if origin in self.origins:
            return True
        return bool(self.expression) and re.fullmatch(self.expression, origin) is not None


class OriginPolicy:
    """Answers preflight requests, and refuses a foreign Host (421) and a foreign Origin (403).

    A client that is no browser sends no Origin. There is no CORS on the pages that a person sees: they answer to a
    cookie, so that nothing of another origin is to read them, not even one that may call the tools.
    """

    def __init__(self, app: ASGIApp, rules: OriginRules) -> None:
        self.app, self.rules = app, rules
        self._cors = CORSMiddleware(
            app,
            allow_origins=sorted(rules.origins),
            allow_origin_regex=rules.expression or None,
            allow_methods=CORS["methods"],
            allow_headers=CORS["headers"],
            expose_headers=[*CORS["exposed"], *EXPOSED],
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        path, context = scope["path"], current_context.get()
        headers = context.headers
        if scope["method"] == "OPTIONS" and (answer := self._preflight(path, headers)) is not None:
            await answer(scope, receive, send)
            return
        if not PAGE.match(path):
            context.write_cors = partial(self._write, headers.get("origin"))
        if not path.isprintable():
            raise InvalidRequest("The path holds characters that cannot be seen")  # `$` matches before a newline
        if path not in PROBES:
            hosts, origins = headers.getlist("host"), headers.getlist("origin")
            if len(hosts) != 1 or hosts[0].lower() not in self.rules.hosts:
                raise MisdirectedRequest
            if not path.startswith(PUBLIC) and origins and not (len(origins) == 1 and self.rules.may_call(origins[0])):
                raise ForbiddenOrigin
        await self.app(scope, receive, send)

    def _preflight(self, path: str, headers: Headers) -> Response | None:
        """The answer to a preflight request, or None for any other."""
        if "access-control-request-method" not in headers:
            return None
        if path.startswith(PUBLIC):
            return Response(status_code=204, headers=CORS["public"])
        if "origin" not in headers or PAGE.match(path):
            return None
        return self._cors.preflight_response(headers)

    def _write(self, origin: str | None, answer: MutableHeaders) -> None:
        """As `CORSMiddleware.send`, which would wrap `send` once more."""
        if origin is not None:
            answer.update(self._cors.simple_headers)
        if origin is not None and self._cors.is_allowed_origin(origin):
            self._cors.allow_explicit_origin(answer, origin)
        elif "vary" in answer:
            answer.add_vary_header("Origin")
        else:
            answer.append("Vary", "Origin")
