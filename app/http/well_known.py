"""Small documents at fixed paths. None of them says which software runs here."""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

METADATA_PATH = "/.well-known/oauth-protected-resource"
VALID_DAYS = 90
"""RFC 9116 section 2.5.5 wants less than a year; the text is made anew for each request."""
ROBOTS = "User-agent: *\nDisallow: /\n"
"""Nothing here is for a search engine: pages of a person, and endpoints of machines."""
A_DAY = {"cache-control": "public, max-age=86400"}


def site_routes(site_url: str, contacts: Sequence[str]) -> list[Route]:
    """`security.txt` (RFC 9116) where somebody is named to report to, `robots.txt`, and no icon."""

    async def security(_request: Request) -> Response:
        if not contacts:
            raise HTTPException(404)
        return PlainTextResponse(security_text(site_url, contacts, datetime.now(UTC)), headers=A_DAY)

    async def robots(_request: Request) -> Response:
        return PlainTextResponse(ROBOTS, headers=A_DAY)

    async def favicon(_request: Request) -> Response:
        return Response(status_code=204, headers=A_DAY)

    return [
        Route("/.well-known/security.txt", security),
        Route("/robots.txt", robots),
        Route("/favicon.ico", favicon),
    ]


def security_text(site_url: str, contacts: Sequence[str], now: datetime) -> str:
    """RFC 9116 section 2.5: where to report, until when this holds, in which language, and where it belongs."""
    expires = (now + timedelta(days=VALID_DAYS)).strftime("%Y-%m-%dT00:00:00Z")
    return "".join([
        *(f"Contact: {contact}\n" for contact in contacts),
        f"Expires: {expires}\n",
        "Preferred-Languages: en\n",
        f"Canonical: {site_url}/.well-known/security.txt\n",
    ])  # fmt: skip


def protected_resource_metadata(site_url: str, scopes: Iterable[str]) -> dict[str, Any]:
    """The metadata of the resource `/mcp` (RFC 9728 section 2); strings exactly as configured, byte for byte.

    The one authorization server is the issuer as its own metadata names it: clients compare the two strings.
    """
    return {
        "resource": f"{site_url}/mcp",
        "authorization_servers": [site_url],
        "scopes_supported": sorted(scopes),
        "bearer_methods_supported": ["header"],
        "resource_name": "Minds",
    }


def metadata_routes(site_url: str, scopes: Iterable[str]) -> list[Route]:
    """The document at the root and at the path-inserted address; clients try either first."""
    document = protected_resource_metadata(site_url, scopes)

    async def metadata(_request: Request) -> Response:
        return JSONResponse(
            document, headers={"cache-control": "public, max-age=300", "access-control-allow-origin": "*"}
        )

    return [Route(METADATA_PATH, metadata), Route(f"{METADATA_PATH}/mcp", metadata)]
