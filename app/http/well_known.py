"""Small documents at fixed paths, and what stands at all others. None of them says which software runs here."""

from collections.abc import Awaitable, Callable, Iterable, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from http import HTTPStatus
from typing import Any

from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route

from oauth.endpoints.metadata import document_routes
from oauth.endpoints.pages import REFUSALS
from oauth.factory import OAuth
from oauth.primitives.clock import utc_now

METADATA_PATH = "/.well-known/oauth-protected-resource"
VALID_DAYS = 90
"""RFC 9116 section 2.5.5 wants less than a year; the text is made anew for each request."""
ROBOTS = "User-agent: *\nDisallow: /\n"
"""But for documentation nothing here is for a search engine: pages of a person, and endpoints of machines."""
WITH_FORMS = ("/account/", "/panels/", "/personas/")
A_DAY = {"cache-control": "public, max-age=86400"}


def site_routes(site_url: str, contacts: Sequence[str], open_paths: Sequence[str] = ()) -> list[Route]:
    """`security.txt` (RFC 9116) where somebody is named to report to, `robots.txt`, and no icon.

    `open_paths` are for search engines.
    """

    async def security(_request: Request) -> Response:
        expires = (datetime.now(UTC) + timedelta(days=VALID_DAYS)).strftime("%Y-%m-%dT00:00:00Z")
        lines = [*(f"Contact: {contact}" for contact in contacts), f"Expires: {expires}", "Preferred-Languages: en"]
        text = "\n".join([*lines, f"Canonical: {site_url}/.well-known/security.txt", ""])
        return PlainTextResponse(text, headers=A_DAY)

    async def robots(_request: Request) -> Response:
        return PlainTextResponse(ROBOTS + "".join(f"Allow: {path}\n" for path in open_paths), headers=A_DAY)

    async def favicon(_request: Request) -> Response:
        return Response(status_code=204, headers=A_DAY)

    return [
        *([Route("/.well-known/security.txt", security)] if contacts else []),
        Route("/robots.txt", robots),
        Route("/favicon.ico", favicon),
    ]


def not_found(oauth: OAuth, resource: str, documentation: str | None) -> Callable[[Request, Any], Awaitable[Response]]:
    """Renders 404 and 405: to a browser a page that says what this is and where to go; where a form was sent to, the
    page with that form, for who reloads the address that a refusal stands at.

    Who has signed in is shown the pages that they have. `documentation` is the path of its pages, where there are any.
    """

    async def answer(request: Request, error: Any) -> Response:  # Starlette hands over the HTTPException
        if "text/html" not in request.headers.get("accept", ""):
            return PlainTextResponse(error.detail, error.status_code, error.headers)
        path = request.url.path
        if (
            error.status_code == HTTPStatus.METHOD_NOT_ALLOWED
            and path.startswith(WITH_FORMS)
            and request.method == "GET"
        ):
            return RedirectResponse(path.rpartition("/")[0], HTTPStatus.SEE_OTHER)
        about: dict[str, Any] = {"path": path, "resource": resource, "documentation": documentation}
        with suppress(*REFUSALS):  # who that is matters less than the page
            await oauth.signed_in.of(request, utc_now())
        about["viewer"] = getattr(request.state, "viewer", None)
        allowed = {name: value for name, value in (error.headers or {}).items() if name.lower() == "allow"}
        return oauth.pages.render("not_found.html", error.status_code, headers=allowed, **about)

    return answer


def metadata_routes(site_url: str, scopes: Iterable[str]) -> list[Route]:
    """The metadata of the resource `/mcp` (RFC 9728 section 2), strings exactly as configured, byte for byte: at the
    root and at the path-inserted address; clients try either first.
    """
    document = {
        "resource": f"{site_url}/mcp",
        "authorization_servers": [site_url],  # the issuer as its own metadata names it: clients compare the strings
        "scopes_supported": sorted(scopes),
        "bearer_methods_supported": ["header"],
        "resource_name": "Minds",
    }
    return document_routes(document, METADATA_PATH, f"{METADATA_PATH}/mcp")
