"""Addresses that people may know by heart; the pages themselves lie below /oauth/."""

from collections.abc import Awaitable, Callable

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from oauth.endpoints.consent import PATH as CONSENT_PATH
from oauth.endpoints.signed_in import LOGIN_PATH, see_other

SHORT_PATHS = {"/login": LOGIN_PATH, "/consent": CONSENT_PATH}


def short_routes() -> list[Route]:
    """GET /login and GET /consent, with their parameters."""
    return [Route(short, _moved_to(full), methods=["GET"]) for short, full in SHORT_PATHS.items()]


def _moved_to(path: str) -> Callable[[Request], Awaitable[Response]]:
    async def moved(request: Request) -> Response:
        return see_other(f"{path}?{request.url.query}" if request.url.query else path)

    return moved
