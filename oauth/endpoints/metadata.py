"""What a client must know to use this authorization server (RFC 8414), and its keys (RFC 7517 section 5).

One document each, the same bytes everywhere and for everyone, from any origin.
"""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from oauth.endpoints.http import OPEN, speaks_json
from oauth.flows.client_assertions import ALGORITHMS
from oauth.grants import DEVICE_CODE
from oauth.primitives import scopes
from oauth.settings import OAuthSettings
from oauth.signing_keys import SigningKeys

JWKS_PATH = "/.well-known/jwks.json"
PATH = "/.well-known/oauth-authorization-server"
PATHS = (PATH, f"{PATH}/mcp", "/.well-known/openid-configuration", "/.well-known/openid-configuration/mcp")
"""The issuer has no path: the first is its address. Clients of 2025-03-26 and some later ones insert the resource's
path, or ask for OpenID Connect's document; they find the same, with nothing in it that is not true.
"""


def server_metadata(settings: OAuthSettings) -> dict[str, Any]:
    """The metadata (RFC 8414 section 2), every address below the issuer as it is configured, byte for byte."""
    oauth = f"{settings.issuer}/oauth"
    methods = ["none", "client_secret_basic", "client_secret_post", "private_key_jwt"]
    document: dict[str, Any] = {
        "issuer": settings.issuer,
        "authorization_endpoint": f"{oauth}/authorize",
        "token_endpoint": f"{oauth}/token",
        "registration_endpoint": f"{oauth}/register",
        "revocation_endpoint": f"{oauth}/revoke",
        "device_authorization_endpoint": f"{oauth}/device_authorization",
        "jwks_uri": f"{settings.issuer}{JWKS_PATH}",
        "scopes_supported": [*scopes.written(settings.scopes).split(), "offline_access"],
        "response_types_supported": ["code"],
        "response_modes_supported": ["query"],
        "grant_types_supported": ["authorization_code", "refresh_token", "client_credentials", DEVICE_CODE],
        "code_challenge_methods_supported": ["S256"],
        "prompt_values_supported": ["none", "login", "consent"],
        "token_endpoint_auth_methods_supported": methods,
        "token_endpoint_auth_signing_alg_values_supported": list(ALGORITHMS),
        "revocation_endpoint_auth_methods_supported": methods,
        "revocation_endpoint_auth_signing_alg_values_supported": list(ALGORITHMS),
        "authorization_response_iss_parameter_supported": True,
        "client_id_metadata_document_supported": True,
        "protected_resources": list(settings.resources),
    }
    if settings.introspection_secret is not None:  # without one the endpoint is closed
        document["introspection_endpoint"] = f"{oauth}/introspect"
        document["introspection_endpoint_auth_methods_supported"] = ["Bearer"]
    return document


def document_routes(document: Mapping[str, Any], *paths: str) -> list[Route]:
    async def metadata(_request: Request) -> Response:
        return JSONResponse(document, headers={"cache-control": "public, max-age=300", **OPEN})

    return [Route(path, metadata, methods=["GET"]) for path in paths]


def jwks_route(keys: SigningKeys, now: Callable[[], datetime]) -> Route:
    """The published keys, kept by clients no longer than a key is published before it signs."""

    async def jwks(_request: Request) -> Response:
        document = await keys.jwks(now())
        return JSONResponse(document, headers={"cache-control": "public, max-age=3600", **OPEN})

    return Route(JWKS_PATH, speaks_json(jwks), methods=["GET"])
