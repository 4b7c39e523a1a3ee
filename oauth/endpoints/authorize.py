"""The authorization endpoint (RFC 6749 section 3.1): checks the request and leads to the consent page.

It asks no cookie and writes no row: who is signed in is the business of the page that comes next.
"""

from collections.abc import Awaitable, Callable
from datetime import datetime

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from oauth.endpoints import http
from oauth.endpoints.consent import PATH as CONSENT_PATH
from oauth.endpoints.consent import consent_path
from oauth.endpoints.pages import Pages, redirect, shows_pages
from oauth.endpoints.signed_in import LOGIN_PATH, see_other
from oauth.errors import InvalidRequest, ProtocolError
from oauth.flows.authorization import Authorization, Destination, Handles, SentBack, refusal_address
from oauth.primitives.clock import utc_now
from oauth.settings import OAuthSettings

PATH = "/oauth/authorize"


class Authorize:
    """GET and POST /oauth/authorize. Without CORS: no script has any business here (RFC 9700 section 2.6)."""

    def __init__(
        self,
        authorization: Authorization,
        handles: Handles,
        pages: Pages,
        settings: OAuthSettings,
        now: Callable[[], datetime] = utc_now,
    ) -> None:
        self._authorization, self._handles = authorization, handles
        self._settings, self._now = settings, now
        self.routes = [Route(PATH, shows_pages(pages, self._authorize), methods=["GET", "POST"])]

    async def _authorize(self, request: Request) -> Response:
        parameters = await http.form(request) if request.method == "POST" else http.query(request)
        try:
            asked = await self._authorization.check(parameters, self._now(), http.client_address(request))
        except SentBack as refused:
            return self._sent_back(request, refused.destination, refused.error)
        try:
            return redirect(request, consent_path(self._handles.seal(asked)))
        except InvalidRequest as error:
            return self._sent_back(request, Destination(asked.redirect_uri, asked.state), error)

    def _sent_back(self, request: Request, to: Destination, error: ProtocolError) -> Response:
        return redirect(request, refusal_address(to, self._settings.issuer, error))


SHORT_PATHS = {"/login": LOGIN_PATH, "/consent": CONSENT_PATH}


def short_routes() -> list[Route]:
    """GET /login and GET /consent, with their parameters."""
    return [Route(short, _moved_to(full), methods=["GET"]) for short, full in SHORT_PATHS.items()]


def _moved_to(path: str) -> Callable[[Request], Awaitable[Response]]:
    async def moved(request: Request) -> Response:
        return see_other(f"{path}?{request.url.query}" if request.url.query else path)

    return moved
