"""The app that waits while a person signs in and decides: who it is, where it leads, and its logo, served by us."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from oauth.endpoints import http
from oauth.endpoints.pages import Pages, shows_pages
from oauth.errors import OauthError, Unknown
from oauth.flows.authorization import Authorization
from oauth.flows.client_logos import ClientLogos
from oauth.flows.consent import introduced
from oauth.grants import AuthorizationRequest, Client

CONSENT_PATH, LOGO_PATH = "/oauth/consent", "/oauth/logo"
LOGO_HEADERS = {
    "cache-control": "private, max-age=3600",
    "content-security-policy": "default-src 'none'; sandbox",
    "x-content-type-options": "nosniff",
}

Asking = Callable[[str, datetime], Awaitable[Mapping[str, Any] | None]]
"""The app that waits behind a return path, as pages show it; None: none does."""


def consent_path(handle: str) -> str:
    """Where the request of this handle, which is URL-safe, is decided."""
    return f"{CONSENT_PATH}?request={handle}"


def handle_in(path: str) -> str | None:
    """The handle of the request that is decided at `path`; None: nothing is."""
    start = consent_path("")
    return path.removeprefix(start) if path.startswith(start) else None


@dataclass(frozen=True, slots=True)
class AskingApp:
    """GET /oauth/logo, and the app in the words of `introduced` with the address of its logo.

    The logo is addressed by the sealed request, so that nobody can have us fetch what no app asks for.
    """

    authorization: Authorization
    logos: ClientLogos
    pages: Pages
    now: Callable[[], datetime]

    @property
    def routes(self) -> list[Route]:
        return [Route(LOGO_PATH, shows_pages(self.pages, self._logo), methods=["GET"])]

    async def behind(self, path: str, now: datetime) -> Mapping[str, Any] | None:
        """The app that waits behind a return path; None: none does, or it cannot be told now."""
        handle = handle_in(path)
        if handle is None:
            return None
        try:
            asked, client = await self.authorization.resume(handle, now)
        except OauthError:  # the sign-in does not depend on it
            return None
        return await self.shown(handle, asked, client, now)

    async def shown(self, handle: str, asked: AuthorizationRequest, client: Client, now: datetime) -> Mapping[str, Any]:
        """The app of a request; with a logo only where it is proven whose it is."""
        app = introduced(client, asked.redirect_uri)
        has_logo = app["proven"] and await self.logos.find(client, now) is not None
        return {**app, "logo": f"{LOGO_PATH}?request={handle}" if has_logo else None}

    async def _logo(self, request: Request) -> Response:
        now = self.now()
        _, client = await self.authorization.resume(http.query(request).require("request"), now)
        found = await self.logos.find(client, now)
        if found is None:
            raise Unknown("This app has no logo.")
        picture, kind = found
        return Response(picture, media_type=kind, headers=LOGO_HEADERS)
