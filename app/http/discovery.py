"""What a client finds out before it signs in (RFC 9728)."""

from collections.abc import Iterable
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

PATH = "/.well-known/oauth-protected-resource"


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


def discovery_routes(site_url: str, scopes: Iterable[str]) -> list[Route]:
    """The document at the root and at the path-inserted address; clients try either first."""
    document = protected_resource_metadata(site_url, scopes)

    async def metadata(_request: Request) -> Response:
        return JSONResponse(
            document, headers={"cache-control": "public, max-age=300", "access-control-allow-origin": "*"}
        )

    return [Route(PATH, metadata), Route(f"{PATH}/mcp", metadata)]
