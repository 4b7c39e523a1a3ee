"""The authorization server's metadata: exact, true, the same at all addresses, whatever the request says."""

from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

import httpx2
import pytest
from pydantic import SecretStr
from starlette.applications import Starlette

from oauth.endpoints.metadata import PATHS, document_routes, jwks_route, server_metadata
from oauth.signing_keys import AHEAD, SigningKeys
from tests.oauth.delegating import NOW, SETTINGS, SITE, ring

ROOT = "/.well-known/oauth-authorization-server"
OPEN_INTROSPECTION = replace(SETTINGS, introspection_secret=SecretStr("internal"))


@pytest.fixture
async def http() -> AsyncIterator[httpx2.AsyncClient]:
    app = Starlette(routes=document_routes(server_metadata(OPEN_INTROSPECTION), *PATHS))
    async with httpx2.AsyncClient(transport=httpx2.ASGITransport(app), base_url=SITE) as client:
        yield client


@pytest.mark.requirement("seed:gateway:oauth-discovery")
@pytest.mark.security("DI-01", "DI-03", "DI-04", "DI-22", "DI-23")
async def test_the_metadata_has_what_every_client_needs_and_offers_only_the_safe_ways(http: httpx2.AsyncClient) -> None:
    response = await http.get(ROOT)

    assert response.status_code == 200
    assert response.headers["content-type"] == "application/json"
    assert response.json() == {
        "issuer": "https://minds.example",
        "authorization_endpoint": "https://minds.example/oauth/authorize",
        "token_endpoint": "https://minds.example/oauth/token",
        "registration_endpoint": "https://minds.example/oauth/register",
        "revocation_endpoint": "https://minds.example/oauth/revoke",
        "introspection_endpoint": "https://minds.example/oauth/introspect",
        "introspection_endpoint_auth_methods_supported": ["Bearer"],
        "device_authorization_endpoint": "https://minds.example/oauth/device_authorization",
        "jwks_uri": "https://minds.example/.well-known/jwks.json",
        "scopes_supported": [
            "sparks:read", "sparks:write", "sparks:chat", "flows:read", "flows:write", "docs:read", "docs:write",
            "offline_access",
        ],
        "response_types_supported": ["code"],
        "response_modes_supported": ["query"],
        "grant_types_supported": [
            "authorization_code", "refresh_token", "client_credentials", "urn:ietf:params:oauth:grant-type:device_code",
        ],
        "code_challenge_methods_supported": ["S256"],
        "prompt_values_supported": ["none", "login", "consent"],
        "token_endpoint_auth_methods_supported": [
            "none", "client_secret_basic", "client_secret_post", "private_key_jwt",
        ],
        "token_endpoint_auth_signing_alg_values_supported": ["ES256", "PS256", "RS256"],
        "revocation_endpoint_auth_methods_supported": [
            "none", "client_secret_basic", "client_secret_post", "private_key_jwt",
        ],
        "revocation_endpoint_auth_signing_alg_values_supported": ["ES256", "PS256", "RS256"],
        "authorization_response_iss_parameter_supported": True,
        "client_id_metadata_document_supported": True,
        "protected_resources": ["https://minds.example/mcp", "https://minds.example/api/v1"],
    }  # fmt: skip


@pytest.mark.security("DI-02", "DI-18")
@pytest.mark.parametrize("path", PATHS)
async def test_every_address_has_the_same_bytes_and_the_issuer_as_it_is_configured(
    http: httpx2.AsyncClient, path: str
) -> None:
    response = await http.get(path)

    assert response.content == (await http.get(ROOT)).content
    assert f'"issuer":"{SITE}"' in response.text
    assert response.json()["code_challenge_methods_supported"] == ["S256"]


@pytest.mark.security("DI-21")
def test_an_introspection_endpoint_that_is_closed_is_not_advertised() -> None:
    assert "introspection_endpoint" not in server_metadata(SETTINGS)


@pytest.mark.security("DI-16")
@pytest.mark.parametrize(
    "headers",
    [
        {"host": "evil.example"},
        {"x-forwarded-host": "evil.example"},
        {"x-forwarded-proto": "evil"},
        {"x-forwarded-prefix": "/evil"},
        {"forwarded": "host=evil.example;proto=evil"},
    ],
    ids=str,
)
async def test_no_address_comes_from_the_request(http: httpx2.AsyncClient, headers: dict[str, str]) -> None:
    response = await http.get(ROOT, headers=headers)

    assert "evil" not in response.text
    assert response.content == (await http.get(ROOT)).content


@pytest.mark.security("DI-17", "DI-24")
async def test_anyone_may_read_and_keep_it_and_it_is_the_same_a_hundred_times_from_every_process(
    http: httpx2.AsyncClient,
) -> None:
    other = Starlette(routes=document_routes(server_metadata(OPEN_INTROSPECTION), *PATHS))
    headers = {"origin": "https://anywhere.example"}
    async with httpx2.AsyncClient(transport=httpx2.ASGITransport(other), base_url=SITE) as elsewhere:
        answers = [await client.get(ROOT, headers=headers) for client in (http, elsewhere) for _ in range(50)]

    told: set[tuple[Any, ...]] = {(answer.content, tuple(answer.headers.items())) for answer in answers}
    assert len(told) == 1
    assert answers[0].headers["cache-control"] == "public, max-age=300"
    assert answers[0].headers["access-control-allow-origin"] == "*"
    assert "access-control-allow-credentials" not in answers[0].headers


@pytest.mark.security("DI-15")
@pytest.mark.parametrize("end", ["/nope", "/../../etc/passwd", "/%2e%2e/%2e%2e", "/<script>alert(1)</script>", "/%00"])
async def test_other_addresses_have_no_metadata_and_are_not_repeated(http: httpx2.AsyncClient, end: str) -> None:
    response = await http.get(f"{ROOT}{end}")

    assert response.status_code == 404
    assert "script" not in response.text
    assert "passwd" not in response.text


PATH = "/.well-known/jwks.json"


def client(keys: SigningKeys) -> httpx2.AsyncClient:
    return httpx2.AsyncClient(
        transport=httpx2.ASGITransport(Starlette(routes=[jwks_route(keys, lambda: NOW)])), base_url=SITE
    )


@pytest.mark.security("DI-17")
async def test_anyone_may_read_and_keep_the_keys_for_no_longer_than_they_are_published_ahead() -> None:
    async with client(ring()) as http:
        response = await http.get(PATH, headers={"origin": "https://anywhere.example"})

    assert response.headers["content-type"] == "application/json"
    assert response.headers["cache-control"] == "public, max-age=3600"
    assert AHEAD.total_seconds() >= 3_600 * 2, "an hour between two looks, and an hour in a cache"
    assert response.headers["access-control-allow-origin"] == "*"
    assert "access-control-allow-credentials" not in response.headers
