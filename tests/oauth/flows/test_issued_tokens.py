"""What a token is worth."""

from datetime import timedelta

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from oauth.grants import Device
from oauth.primitives.parameters import Parameters
from oauth.primitives.secrets import digest
from oauth.stores.devices import DeviceStore
from tests.oauth.delegations import CLIENT, RESOURCE, grant_of
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


SCOPES = frozenset({"sparks:read"})


@pytest.fixture
async def devices(house: House, engine: AsyncEngine) -> DeviceStore:
    """A store in which the device of code `d` waits for ten minutes."""
    devices = DeviceStore(engine)
    await devices.add_device(waiting_device(house))
    return devices


def waiting_device(house: House) -> Device:
    end = house.now + timedelta(minutes=10)
    return Device(digest("d"), "u", "app", "App", SCOPES, "https://a/mcp", house.now, end, 5)


async def found(house: House, **shown: str) -> str | None:
    return await house.issued.owner(Parameters(list(shown.items())), house.now)


async def test_codes_and_tokens_of_all_grants_of_an_account_are_one_holders(house: House) -> None:
    code = await house.code()
    first = (await house.redeem(code)).json()["refresh_token"]
    second = (await house.refresh(first)).json()["refresh_token"]

    named = {await found(house, refresh_token=first), await found(house, refresh_token=second)}
    named |= {await found(house, token=second), await found(house, code=code)}

    named |= {await found(house, code=await house.code("other"))}

    assert named == {f"account:{house.user.id}"}
    assert await house.is_live(second), "looking has used nothing up"


async def test_a_guess_and_what_has_ended_are_nobodys(house: House) -> None:
    ended = (await house.tokens_of())["refresh_token"]
    await house.revoke(ended)

    shown = [{"code": "x"}, {"refresh_token": "x"}, {"token": "x"}, {"device_code": "x"}, {}, {"refresh_token": ended}]

    assert [await found(house, **one) for one in shown] == [None] * 6


async def test_a_device_is_its_accounts_from_the_moment_when_a_person_lets_it_in_until_it_is_used(
    house: House, devices: DeviceStore
) -> None:
    waiting = await found(house, device_code="d")
    await devices.decide(digest("d"), user_id=house.user.id, scopes=SCOPES, now=house.now)
    let_in = await found(house, device_code="d")
    assert await devices.use_device(digest("d"), grant_of(house.user, house.now), None, house.now)

    assert (waiting, let_in) == (None, f"account:{house.user.id}")
    assert await found(house, device_code="d") is None
