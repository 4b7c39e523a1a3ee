"""The published keys, as any verifier reads them."""

from datetime import datetime
from typing import Any

import httpx2
import jwt
import pytest
from starlette.applications import Starlette

from oauth.access_tokens import AccessTokens
from oauth.endpoints.metadata import jwks_route
from oauth.errors import StoreUnavailable
from oauth.signing_keys import AHEAD, SigningKeys
from tests.oauth.delegating import GRANT, NOW, SETTINGS, SITE, ring

PATH = "/.well-known/jwks.json"


def client(keys: SigningKeys) -> httpx2.AsyncClient:
    return httpx2.AsyncClient(
        transport=httpx2.ASGITransport(Starlette(routes=[jwks_route(keys, lambda: NOW)])), base_url=SITE
    )


async def test_a_stranger_can_verify_our_tokens_with_what_is_published() -> None:
    keys = ring()
    token, _ = await AccessTokens(keys, SETTINGS).issue(GRANT, GRANT.scopes, NOW)
    async with client(keys) as http:
        response = await http.get(PATH)

    published = jwt.PyJWKSet.from_dict(response.json())
    key = published[jwt.get_unverified_header(token)["kid"]]
    said = jwt.decode(token, key, ["ES256"], audience=SETTINGS.resource, options={"verify_exp": False})
    assert said["iss"] == SITE
    assert {"d", "k", "p", "q"} & set(response.json()["keys"][0]) == set()


@pytest.mark.security("DI-17")
async def test_anyone_may_read_and_keep_the_keys_for_no_longer_than_they_are_published_ahead() -> None:
    async with client(ring()) as http:
        response = await http.get(PATH, headers={"origin": "https://anywhere.example"})

    assert response.headers["content-type"] == "application/json"
    assert response.headers["cache-control"] == "public, max-age=3600"
    assert AHEAD.total_seconds() >= 3_600 * 2, "an hour between two looks, and an hour in a cache"
    assert response.headers["access-control-allow-origin"] == "*"
    assert "access-control-allow-credentials" not in response.headers


class Silent(SigningKeys):
    """A key ring whose database is down."""

    def __init__(self) -> None: ...

    async def jwks(self, now: datetime) -> dict[str, Any]:
        raise StoreUnavailable("password=hunter2")


async def test_keys_that_cannot_be_read_are_unavailable_and_not_none() -> None:
    async with client(Silent()) as http:
        response = await http.get(PATH)

    assert response.status_code == 503
    assert "hunter2" not in response.text
    assert response.headers["cache-control"] == "no-store"
