"""Whose grant a request shows something of."""

from datetime import timedelta

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from oauth.flows.holders import Holders
from oauth.grants import Device
from oauth.parameters import Parameters
from oauth.secrets import digest
from oauth.stores.devices import SqlDevices
from tests.oauth.token_house import House


@pytest.fixture
def holders(house: House, engine: AsyncEngine) -> Holders:
    return Holders(house.store, SqlDevices(engine), lambda: house.now)


async def found(holders: Holders, **shown: str) -> str | None:
    return await holders.find(Parameters(list(shown.items())))


async def test_a_code_and_every_token_of_a_grant_are_one_holders(holders: Holders, house: House) -> None:
    code = await house.code()
    before = await found(holders, code=code)
    first = (await house.redeem(code)).json()["refresh_token"]
    second = (await house.refresh(first)).json()["refresh_token"]

    named = {await found(holders, refresh_token=first), await found(holders, refresh_token=second)}
    named |= {await found(holders, token=second), await found(holders, code=code)}

    assert before is not None
    assert named == {before}
    assert await found(holders, code=await house.code()) not in named
    assert await house.is_live(second), "looking has used nothing up"


async def test_a_guess_and_what_has_ended_are_nobodys(holders: Holders, house: House) -> None:
    ended = (await house.tokens_of())["refresh_token"]
    await house.revoke(ended)

    shown = [{"code": "x"}, {"refresh_token": "x"}, {"token": "x"}, {"device_code": "x"}, {}, {"refresh_token": ended}]

    assert [await found(holders, **one) for one in shown] == [None] * 6


async def test_a_device_is_a_holder_once_a_person_has_let_it_in(
    holders: Holders, house: House, engine: AsyncEngine
) -> None:
    devices, scopes = SqlDevices(engine), frozenset({"sparks:read"})
    end = house.now + timedelta(minutes=10)
    await devices.add_device(Device(digest("d"), "u", "app", "App", scopes, "https://a/mcp", house.now, end, 5))

    waiting = await found(holders, device_code="d")
    await devices.decide(digest("d"), user_id=house.user.id, scopes=scopes, now=house.now)

    assert waiting is None
    assert await found(holders, device_code="d") == f"device:{digest('d')}"
