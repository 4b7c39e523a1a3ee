"""What a token is worth."""

import pytest

from tests.oauth.delegations import CLIENT, RESOURCE
from tests.oauth.token_house import House

INACTIVE = {"active": False}


async def test_an_access_token_is_described_without_a_name(house: House) -> None:
    tokens = await house.tokens_of()
    began = int(house.now.timestamp())

    told = await house.introspect(tokens["access_token"])

    assert told == {
        "active": True,
        "iss": "https://gateway.example",
        "sub": house.user.id,
        "aud": RESOURCE,
        "client_id": CLIENT,
        "scope": "sparks:read docs:read",
        "iat": began,
        "exp": began + 3_600,
        "token_type": "Bearer",
        "jti": house.tokens.issued[tokens["access_token"]].jti,
    }


async def test_a_refresh_token_is_active_until_it_is_used(house: House) -> None:
    tokens = await house.tokens_of()
    told = await house.introspect(tokens["refresh_token"])
    await house.refresh(tokens["refresh_token"])

    assert told["active"] is True
    assert "token_type" not in told
    assert await house.introspect(tokens["refresh_token"]) == INACTIVE


@pytest.mark.parametrize("kind", ["access_token", "refresh_token"])
async def test_every_token_that_is_worth_nothing_gets_the_same_answer(house: House, kind: str) -> None:
    revoked, expired = await house.tokens_of(), await house.tokens_of()
    await house.revoke(revoked["access_token"])
    house.later(days=31)

    for token in (revoked[kind], expired[kind], "unknown", "*", "x" * 5_000):
        assert await house.introspect(token) == INACTIVE
