"""One row for each client, and its end."""

import asyncio
from dataclasses import replace
from datetime import datetime, timedelta
from uuid import uuid4

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from oauth.errors import Unknown
from oauth.flows.consent import ConnectedApps
from oauth.grants import Device, Grant
from oauth.models import User
from oauth.stores.consents import ConsentStore
from oauth.stores.devices import DeviceStore
from oauth.stores.grants import GrantStore

HOUR = timedelta(hours=1)


def grant_of(user: User, now: datetime, client_id: str, *scopes: str) -> Grant:
    return Grant(
        str(uuid4()), user.id, client_id, client_id.title(), "host", frozenset(scopes), "https://a/mcp", now, now + HOUR
    )


async def test_the_grants_of_one_client_are_one_app(engine: AsyncEngine, ada: User, now: datetime) -> None:
    store, forgotten = GrantStore(engine), list[str]()
    apps = ConnectedApps(store, DeviceStore(engine), ConsentStore(engine), forgotten.append)
    first, second = grant_of(ada, now - HOUR / 2, "app", "sparks:read"), grant_of(ada, now, "app", "flows:read")
    for grant in (first, second, grant_of(ada, now - HOUR / 4, "other"), replace(first, id="old", expires_at=now)):
        await store.add_grant(grant)
    await store.touch_grants({first.id: now})

    listed = await apps.list_apps(ada.id, now)
    assert [app.client_id for app in listed] == ["app", "other"]
    assert (listed[0].scopes, listed[0].since) == (frozenset({"sparks:read", "flows:read"}), first.created_at)
    assert listed[0].last_used_at == now

    await apps.disconnect(ada.id, "app", now)
    assert sorted(forgotten) == sorted([first.id, second.id])
    assert [app.client_id for app in await apps.list_apps(ada.id, now)] == ["other"]
    with pytest.raises(Unknown):
        await apps.disconnect(ada.id, "app", now)


async def test_a_device_that_was_let_in_is_a_part_of_its_app_before_it_asks(
    engine: AsyncEngine, ada: User, now: datetime
) -> None:
    store, devices = GrantStore(engine), DeviceStore(engine)
    apps = ConnectedApps(store, devices, ConsentStore(engine), list[str]().append)
    scopes = frozenset({"docs:read"})
    for number, begun in enumerate((now, now - HOUR)):
        end = begun + HOUR / 2
        await devices.add_device(Device(f"{number}", f"{number}", "app", "App", scopes, "https://a/mcp", begun, end, 5))
        assert await devices.decide(f"{number}", user_id=ada.id, scopes=scopes, now=begun)
    await store.add_grant(grant_of(ada, now - HOUR / 2, "app", "sparks:read"))

    (app,) = await apps.list_apps(ada.id, now)
    assert (app.scopes, app.since) == (frozenset({"sparks:read", "docs:read"}), now - HOUR / 2)
    assert (app.redirect_host, app.last_used_at) == (None, None)

    await apps.disconnect(ada.id, "app", now)
    assert await apps.list_apps(ada.id, now) == []
    assert await devices.find_device("0") is not None


@pytest.mark.security("CO-17")
async def test_a_device_that_asks_during_the_disconnection_is_ended_whoever_comes_first(
    engine: AsyncEngine, ada: User, now: datetime
) -> None:
    store, devices = GrantStore(engine), DeviceStore(engine)
    apps = ConnectedApps(store, devices, ConsentStore(engine), list[str]().append)
    for number in range(6):
        digest, grant = f"{number}", grant_of(ada, now, f"app {number}", "docs:read")
        device = Device(digest, digest, grant.client_id, "App", grant.scopes, "https://a/mcp", now, now + HOUR, 5)
        await devices.add_device(device)
        assert await devices.decide(digest, user_id=ada.id, scopes=grant.scopes, now=now)

        await asyncio.gather(
            apps.disconnect(ada.id, grant.client_id, now), devices.use_device(digest, grant, None, now)
        )

        assert await store.find_live_grant(grant.id, now) is None
