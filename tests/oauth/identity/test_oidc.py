"""Signing in at a real OpenID Connect issuer, which misbehaves in every way that we know."""

from datetime import datetime
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest
from pydantic import SecretStr

from oauth.grants import Identity
from oauth.identity.oidc import OidcProvider
from oauth.identity.provider import (
    Challenge,
    ProviderClient,
    ProviderUnavailable,
    SignInDeclined,
    SignInRefused,
    SignInUnfinished,
)
from oauth.primitives.clock import utc_now
from oauth.primitives.parameters import Parameters
from oauth.settings import OidcSettings
from tests.oauth.oidc_provider import CLIENT_ID, CLIENT_SECRET, Running

REDIRECT = "https://gw.example.com/oauth/callback"
CHALLENGE = Challenge("state-of-the-browser", "v" * 43, "nonce-of-the-browser")


class Gateway:
    """The provider under test, with a clock of its own."""

    def __init__(self, idp: Running, door: ProviderClient, issuer: str | None = None) -> None:
        self.idp = idp
        settings = OidcSettings(issuer or idp.origin, CLIENT_ID, SecretStr(CLIENT_SECRET))
        self.provider = OidcProvider(settings, REDIRECT, door)

    async def answer(self, **changes: str | None) -> Parameters:
        """What the browser brings back, with `changes` that somebody made on the way."""
        address = self.idp.visit(await self.provider.begin(CHALLENGE, utc_now(), fresh=False))
        answer: dict[str, str | None] = {**dict(parse_qsl(urlsplit(address).query)), **changes}
        return Parameters([(name, value) for name, value in answer.items() if value is not None])

    async def sign_in(self, challenge: Challenge = CHALLENGE, now: datetime | None = None, **changes: Any) -> Identity:
        return await self.provider.finish(await self.answer(**changes), challenge, now or utc_now())


@pytest.fixture
def gateway(idp: Running, door: ProviderClient) -> Gateway:
    return Gateway(idp, door)


@pytest.mark.parametrize("algorithm", ["RS256", "PS256", "ES256", "EdDSA"])
async def test_somebody_signs_in(gateway: Gateway, algorithm: str) -> None:
    gateway.idp.told(rotate=algorithm)

    assert await gateway.sign_in() == Identity(gateway.idp.origin, "bob", "bob@example.com")


@pytest.mark.parametrize("fresh", [True, False])
async def test_the_request_carries_pkce_nonce_and_state(gateway: Gateway, fresh: bool) -> None:
    address = await gateway.provider.begin(CHALLENGE, utc_now(), fresh=fresh)

    request = dict(parse_qsl(urlsplit(address).query))
    assert (request["state"], request["nonce"], request["redirect_uri"]) == (CHALLENGE.state, CHALLENGE.nonce, REDIRECT)
    assert (request["code_challenge_method"], request["scope"]) == ("S256", "openid email")
    assert request.get("prompt") == ("login" if fresh else None)
    assert CHALLENGE.verifier not in address
    assert request["tenant"] == "1", "what the endpoint's own address says stays"


@pytest.mark.security("CB-05", "CB-07")
@pytest.mark.parametrize(
    "told",
    [
        *({"signature": each} for each in ("none", "hmac with the public key", "another key", "unknown key")),
        *({"signature": each} for each in ("shared", "broken")),
        {"claims": {"aud": "another-client"}},
        {"claims": {"aud": [CLIENT_ID, "another-client"]}},
        {"claims": {"aud": [CLIENT_ID, "another-client"], "azp": "another-client"}},
        {"claims": {"azp": "another-client"}},
        {"claims": {"iss": "https://other.example"}},
        {"claims": {"iss": None}},
        {"claims": {"nonce": "nonce-of-another-browser"}},
        {"claims": {"nonce": None}},
        {"claims": {"sub": ""}},
        {"claims": {"sub": None}},
        {"times": {"exp": -60}},
        {"times": {"iat": 60}},
    ],
)
async def test_a_token_of_or_for_somebody_else_or_another_time_signs_nobody_in(
    gateway: Gateway, told: dict[str, Any]
) -> None:
    gateway.idp.told(**told)

    with pytest.raises(SignInRefused):
        await gateway.sign_in()


@pytest.mark.security("CB-05")
@pytest.mark.parametrize("named", ["https://other.example", None])
async def test_an_answer_of_another_issuer_is_refused_before_its_code_is_used(
    gateway: Gateway, named: str | None
) -> None:
    gateway.idp.told(token_endpoint="500")

    with pytest.raises(SignInRefused):
        await gateway.sign_in(iss=named)


@pytest.mark.parametrize(
    ("told", "word"),
    [
        ({"error": "access_denied", "error_description": "<b>"}, SignInDeclined),
        ({"error": "login_required"}, SignInUnfinished),
        ({"error": "consent_required"}, SignInUnfinished),
        ({"error": "interaction_required"}, SignInUnfinished),
        ({"error": "invalid_scope"}, SignInRefused),
        ({"error": "server_error"}, ProviderUnavailable),
        ({"error": "temporarily_unavailable"}, ProviderUnavailable),
        ({}, SignInRefused),
    ],
)
async def test_an_error_of_the_issuer_is_one_of_four_words(
    gateway: Gateway, told: dict[str, str], word: type[Exception]
) -> None:
    gateway.idp.told(answer=told)

    with pytest.raises(word) as raised:
        await gateway.sign_in()

    assert "<b>" not in str(raised.value)


@pytest.mark.security("CB-10")
@pytest.mark.parametrize("fault", ["500", "html", "huge", "redirect", "list"])
async def test_a_token_endpoint_out_of_order_signs_nobody_in(gateway: Gateway, fault: str) -> None:
    gateway.idp.told(token_endpoint=fault)

    with pytest.raises(ProviderUnavailable):
        await gateway.sign_in()


@pytest.mark.parametrize(
    "discovery",
    [
        {"issuer": "https://other.example"},
        {"jwks_uri": "ftp://idp.example/jwks"},
        {"token_endpoint": None},
        {"authorization_endpoint": "javascript:alert(1)"},
    ],
)
async def test_a_discovery_document_that_leads_astray_is_not_used(gateway: Gateway, discovery: dict[str, Any]) -> None:
    gateway.idp.told(discovery=discovery)

    with pytest.raises(ProviderUnavailable):
        await gateway.provider.begin(CHALLENGE, utc_now(), fresh=False)


@pytest.mark.security("CB-08")
@pytest.mark.parametrize(
    ("claims", "email"),
    [
        ({"email_verified": False}, None),
        ({"email_verified": None}, None),
        ({"email_verified": "false"}, None),
        ({"email_verified": 1, "email": 7}, None),
        ({"email": "x" * 255}, None),
        ({"email": "bob\n@example.com"}, None),
        ({"email_verified": "true"}, "bob@example.com"),
    ],
)
async def test_an_address_is_known_only_when_the_issuer_has_proven_it(
    gateway: Gateway, claims: dict[str, Any], email: str | None
) -> None:
    gateway.idp.told(claims=claims)

    assert await gateway.sign_in() == Identity(gateway.idp.origin, "bob", email)
