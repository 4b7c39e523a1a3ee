"""ChatGPT's way in, from mcp.md 6.1: a document with the shared redirect, challenges in results, `iss`, refresh."""

import json
from typing import Any
from uuid import uuid4

import httpx2
import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from jwt.algorithms import RSAAlgorithm

from tests.edge import LEGACY, MODERN, messages
from tests.journeys.hosted import Hosted, challenge_of
from tests.journeys.sign_in_site import SignInSite

REDIRECT = "https://chatgpt.com/connector_platform_oauth_redirect"
AGENT = "openai-mcp/1.0.0"
METHODS = ("none", "private_key_jwt")


def chatgpt(site: SignInSite, method: str, era: str = MODERN) -> Hosted:
    """Its document names one method, and lists both; which of them it uses is its own affair."""
    key = rsa.generate_private_key(65_537, 2048)
    words = json.loads(RSAAlgorithm.to_jwk(key.public_key()))
    jwks = site.documents.put(f"/{uuid4().hex}/jwks.json", {"keys": [{**words, "kid": "its-key", "alg": "RS256"}]})
    client_id = site.documents.describe(
        client_name="ChatGPT",
        client_uri="https://chatgpt.com",
        redirect_uris=[REDIRECT],
        grant_types=["authorization_code", "refresh_token"],
        response_types=["code"],
        token_endpoint_auth_method="private_key_jwt",
        token_endpoint_auth_methods_supported=list(METHODS),
        token_endpoint_auth_signing_alg="RS256",
        jwks_uri=jwks,
    )
    signing = key if method == "private_key_jwt" else None
    return Hosted(site, REDIRECT, AGENT, era, client_id, signing)


def challenge_in(response: httpx2.Response) -> dict[str, str]:
    """The challenge in the result of a call, which is no HTTP error."""
    assert response.status_code == 200
    result: dict[str, Any] = messages(response)[-1]["result"]
    assert result["isError"] is True
    (header,) = result["_meta"]["mcp/www_authenticate"]
    return challenge_of(header)


@pytest.mark.requirement("seed:gateway:chatgpt-over-https", "seed:gateway:oauth-for-chatgpt")
@pytest.mark.parametrize(("method", "era"), [("none", LEGACY), ("private_key_jwt", MODERN)])
async def test_chatgpt_connects_calls_renews_and_is_disconnected(site: SignInSite, method: str, era: str) -> None:
    app = chatgpt(site, method, era)
    async with site.somebody() as person:
        listed = await app.rpc("tools/list")
        challenge = challenge_in(await app.call("list_my_ai_personas"))
        await app.discover(challenge["resource_metadata"])
        await app.sign_in(person, challenge["scope"])
        audience = await app.audience()
        before = await app.structured("list_my_ai_personas")

        await app.refresh()
        after = await app.structured("list_my_ai_personas")
        await app.revoke()
        refused = await app.call("list_my_ai_personas")
        dead = await app.redeem(grant_type="refresh_token", refresh_token=app.tokens["refresh_token"])

    assert messages(listed)[-1]["result"]["tools"]
    assert audience == site.url
    assert before == after
    assert refused.status_code == 401
    assert (dead.status_code, dead.json()["error"]) == (400, "invalid_grant")


async def test_chatgpt_is_told_in_the_result_what_a_further_call_needs(site: SignInSite) -> None:
    app = chatgpt(site, "none")
    async with site.somebody() as person:
        await app.discover(challenge_in(await app.call("list_my_ai_personas"))["resource_metadata"])
        await app.sign_in(person, "sparks:read")
        challenge = challenge_in(await app.call("list_panels"))
        await app.sign_in(person, f"{app.tokens['scope']} {challenge['scope']}")
        panels = await app.structured("list_panels")

    assert (challenge["error"], challenge["scope"]) == ("insufficient_scope", "flows:read")
    assert panels["panels"] == []
