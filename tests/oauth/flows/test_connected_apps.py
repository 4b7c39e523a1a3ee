"""One row for each client, and its end."""

from dataclasses import replace
from datetime import datetime, timedelta
from uuid import uuid4

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from oauth.errors import Unknown
from oauth.flows.connected_apps import ConnectedApps
from oauth.grants import Grant
from oauth.models import User
from oauth.stores.consents import SqlConsents
from oauth.stores.grants import SqlGrants

HOUR = timedelta(hours=1)


def grant_of(user: User, now: datetime, client_id: str, *scopes: str) -> Grant:
    return Grant(
        str(uuid4()), user.id, client_id, client_id.title(), "host", frozenset(scopes), "https://a/mcp", now, now + HOUR
    )


async def test_the_grants_of_one_client_are_one_app(engine: AsyncEngine, ada: User, now: datetime) -> None:
    store, forgotten = SqlGrants(engine), list[str]()
    apps = ConnectedApps(store, SqlConsents(engine), forgotten.append)
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
