"""Devices that wait, on both databases: found by their codes, decided once, used once."""

import asyncio
from datetime import datetime, timedelta

import pytest
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncEngine

from oauth.grants import Device, Grant, RefreshToken
from oauth.models import User
from oauth.stores.devices import DeviceStore
from oauth.stores.tables import grants, refresh_tokens

SCOPES = frozenset({"sparks:read", "sparks:chat"})
READ = frozenset({"sparks:read"})
MINUTE = timedelta(minutes=1)


@pytest.fixture
def devices(engine: AsyncEngine) -> DeviceStore:
    return DeviceStore(engine)


def device(now: datetime, name: str = "one") -> Device:
    return Device(
        digest=f"device {name}",
        user_code_digest=f"user code {name}",
        client_id="minds-stdio",
        client_name="Minds",
        scopes=SCOPES,
        resource="https://gw.example.com/api/v1",
        created_at=now,
        expires_at=now + 10 * MINUTE,
        interval=5,
        imitates=True,
    )


def grant_of(user: User, now: datetime, id_: str = "grant") -> Grant:
    resource, end = "https://gw.example.com/api/v1", now + 60 * MINUTE
    return Grant(id_, user.id, "minds-stdio", "Minds", None, READ, resource, now, end)


async def test_a_device_is_decided_once(devices: DeviceStore, ada: User, now: datetime) -> None:
    await devices.add_device(device(now))
    await devices.add_device(device(now, "two"))

    assert await devices.decide("device one", user_id=ada.id, scopes=READ, now=now)
    assert await devices.decide("device two", user_id=None, scopes=frozenset(), now=now)

    assert not await devices.decide("device one", user_id=None, scopes=READ, now=now)
    assert not await devices.decide("device two", user_id=ada.id, scopes=READ, now=now)
    first, second = await devices.find_device("device one"), await devices.find_device("device two")
    assert first is not None
    assert second is not None
    assert (first.status, first.user_id, first.scopes) == ("approved", ada.id, READ)
    assert (second.status, second.user_id) == ("denied", None)
    assert await devices.find_waiting(["user code one"], now) is None


async def test_of_ten_uses_at_once_one_is_kept_with_its_grant_and_token(
    devices: DeviceStore, engine: AsyncEngine, ada: User, now: datetime
) -> None:
    await devices.add_device(device(now))
    await devices.decide("device one", user_id=ada.id, scopes=READ, now=now)

    async def use(number: int) -> bool:
        grant = grant_of(ada, now, f"grant {number}")
        refresh = RefreshToken(f"refresh {number}", grant.id, now, now + MINUTE)
        return await devices.use_device("device one", grant, refresh, now)

    won = await asyncio.gather(*map(use, range(10)))

    async with engine.connect() as connection:
        kept = (await connection.execute(select(grants.c.id))).scalars().all()
        tokens = (await connection.execute(select(refresh_tokens.c.grant_id))).scalars().all()
    assert won.count(True) == 1
    assert list(kept) == list(tokens) == [f"grant {won.index(True)}"]
