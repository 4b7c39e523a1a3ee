"""Giving a token back; what a client sees of it is in `endpoints/test_revoke.py`."""

import pytest

from oauth.errors import InvalidGrant, InvalidRequest
from oauth.flows.issued_tokens import Revocation
from oauth.primitives.parameters import Parameters
from tests.oauth.delegations import client_of
from tests.oauth.token_house import House


async def test_the_reason_is_kept_and_the_grant_is_named(house: House) -> None:
    token = (await house.tokens_of())["access_token"]
    revocation = Revocation(house.store, house.tokens)

    ended = await revocation.revoke(client_of(house.now), Parameters([("token", token)]), house.now)

    grant = await house.store.find_grant(house.tokens.issued[token].grant_id)
    assert grant is not None
    assert (grant.id, grant.revoked_at, grant.revoked_reason) == (ended, house.now, "revoked by the client")


async def test_an_expired_token_ends_nothing_and_an_old_refresh_token_does(house: House) -> None:
    tokens = await house.tokens_of()
    revocation = Revocation(house.store, house.tokens)
    house.later(days=40)

    async def revoke(token: str) -> str | None:
        return await revocation.revoke(client_of(house.now), Parameters([("token", token)]), house.now)

    assert await revoke(tokens["access_token"]) is None
    assert await revoke(tokens["refresh_token"]) is not None


async def test_what_is_missing_or_of_another_client_is_refused(house: House) -> None:
    token = (await house.tokens_of())["refresh_token"]
    revocation = Revocation(house.store, house.tokens)

    with pytest.raises(InvalidRequest):
        await revocation.revoke(client_of(house.now), Parameters([]), house.now)
    with pytest.raises(InvalidGrant):
        await revocation.revoke(client_of(house.now, id="other"), Parameters([("token", token)]), house.now)
