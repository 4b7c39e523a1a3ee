"""Signing in with Google through a Supabase project."""

from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest
from pydantic import SecretStr

from oauth.grants import Identity
from oauth.identity.provider import Challenge, ProviderClient, SignInRefused
from oauth.identity.supabase import SupabaseProvider
from oauth.primitives.clock import utc_now
from oauth.primitives.parameters import Parameters
from oauth.settings import SupabaseSettings
from tests.oauth.oidc_provider import API_KEY, Running

REDIRECT = "https://gw.example.com/oauth/callback/supabase"
CHALLENGE = Challenge("state-of-the-browser", "v" * 43, "unused")


class Gateway:
    """The provider under test."""

    def __init__(self, idp: Running, door: ProviderClient) -> None:
        self.idp = idp
        settings = SupabaseSettings(idp.origin, SecretStr(API_KEY))
        self.provider = SupabaseProvider(settings, REDIRECT, door)

    @property
    def issuer(self) -> str:
        return f"{self.idp.origin}/auth/v1"

    async def sign_in(self, challenge: Challenge = CHALLENGE) -> Identity:
        address = self.idp.visit(await self.provider.begin(CHALLENGE, utc_now(), fresh=False))
        return await self.provider.finish(Parameters(parse_qsl(urlsplit(address).query)), challenge, utc_now())


@pytest.fixture
def gateway(idp: Running, door: ProviderClient) -> Gateway:
    return Gateway(idp, door)


@pytest.mark.parametrize("algorithm", ["RS256", "ES256"])
async def test_somebody_signs_in_to_a_project_that_publishes_its_keys(gateway: Gateway, algorithm: str) -> None:
    gateway.idp.told(rotate=algorithm)

    assert await gateway.sign_in() == Identity(gateway.issuer, "bob", "bob@example.com")
    assert gateway.idp.seen() == ["jwks"]


async def test_a_project_with_a_shared_key_is_asked_itself(gateway: Gateway) -> None:
    gateway.idp.told(signature="shared")

    assert await gateway.sign_in() == Identity(gateway.issuer, "bob", "bob@example.com")


async def test_our_state_travels_in_the_address_to_return_to(gateway: Gateway) -> None:
    address = await gateway.provider.begin(CHALLENGE, utc_now(), fresh=False)

    request = dict(parse_qsl(urlsplit(address).query))
    assert request["redirect_to"] == f"{REDIRECT}?state={CHALLENGE.state}"
    assert CHALLENGE.verifier not in address


@pytest.mark.security("CB-07")
@pytest.mark.parametrize(
    "told",
    [
        {"signature": "none"},
        {"signature": "another key"},
        {"signature": "unknown key"},
        {"signature": "broken"},
        {"claims": {"iss": "https://other.supabase.co/auth/v1"}},
        {"claims": {"aud": "anon"}},
        {"claims": {"is_anonymous": True}},
        {"claims": {"sub": ""}},
        {"times": {"exp": -60}},
        {"signature": "shared", "user": {"aud": "anon"}},
        {"signature": "shared", "user": {"is_anonymous": True}},
        {"signature": "shared", "user": {"id": None}},
        {"answer": {}},
    ],
)
async def test_what_the_project_did_not_say_of_somebody_signs_nobody_in(gateway: Gateway, told: dict[str, Any]) -> None:
    gateway.idp.told(**told)

    with pytest.raises(SignInRefused):
        await gateway.sign_in()


@pytest.mark.security("CB-08")
@pytest.mark.parametrize(
    "user", [{"email_confirmed_at": None}, {"email": None}, {"id": "another"}, {"email": "x" * 255}]
)
async def test_an_address_is_known_only_when_the_project_has_confirmed_it(
    gateway: Gateway, user: dict[str, Any]
) -> None:
    gateway.idp.told(user=user)

    assert await gateway.sign_in() == Identity(gateway.issuer, "bob", None)
