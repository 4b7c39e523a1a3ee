"""What an account began by signing in ends with the account, and does not come back with it."""

from dataclasses import dataclass
from datetime import datetime, timedelta

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from oauth.grants import Device, Session
from oauth.models import User
from oauth.primitives import secrets
from oauth.stores.accounts import AccountStore
from oauth.stores.devices import DeviceStore
from oauth.stores.grants import GrantStore
from oauth.stores.sessions import SessionStore
from tests.oauth.delegations import code_of, grant_of, refresh_of

HOUR = timedelta(hours=1)


@dataclass
class Begun:
    """What an account began by signing in: a grant with its tokens, a code, a session, a device that was let in."""

    engine: AsyncEngine
    user: User
    now: datetime

    def __post_init__(self) -> None:
        self.grants, self.sessions = GrantStore(self.engine), SessionStore(self.engine)
        self.devices, self.grant = DeviceStore(self.engine), grant_of(self.user, self.now)
        self.waiting = grant_of(self.user, self.now)

    async def begin(self) -> None:
        now, end = self.now, self.now + HOUR
        await self.grants.add_grant(self.grant, refresh_of(self.grant, now))
        await self.grants.approve("asked", self.waiting, code_of(self.waiting, now), end)
        await self.sessions.open_session(Session("a session", self.user.id, now, end))
        device = Device("a device", "a code", "app", "App", self.grant.scopes, "r", now, end, 5)
        await self.devices.add_device(device)
        await self.devices.decide("a device", user_id=self.user.id, scopes=self.grant.scopes, now=now)

    async def holds(self) -> list[bool]:
        now, grant = self.now, grant_of(self.user, self.now)
        successor = refresh_of(self.grant, now, "the next")
        return [
            await self.grants.find_live_grant(self.grant.id, now) is not None,
            await self.grants.rotate(secrets.digest("the token"), successor, "sealed", now, now) is not None,
            await self.grants.claim_code(secrets.digest("the code"), None, now) is not None,
            await self.sessions.find_session("a session", now) is not None,
            await self.devices.use_device("a device", grant, None, now),
        ]


@pytest.fixture
async def begun(engine: AsyncEngine, ada: User, now: datetime) -> Begun:
    begun = Begun(engine, ada, now)
    await begun.begin()
    return begun


@pytest.mark.security("RF-12", "CO-17")
async def test_what_a_disabled_account_began_does_not_come_back_with_it(store: AccountStore, begun: Begun) -> None:
    before = await begun.grants.grants_revision()
    await store.set_disabled(begun.user.id, begun.now)
    announced = await begun.grants.grants_revision() > before

    await store.set_disabled(begun.user.id, None)

    ended = await begun.grants.find_grant(begun.grant.id)
    assert announced
    assert ended is not None
    assert (ended.revoked_at, await begun.holds()) == (begun.now, [False] * 5)


@pytest.mark.security("CO-17")
async def test_what_was_begun_while_it_was_being_disabled_ends_when_it_is_enabled(
    store: AccountStore, engine: AsyncEngine, ada: User, now: datetime
) -> None:
    await store.set_disabled(ada.id, now)
    late = Begun(engine, ada, now)
    await late.begin()

    await store.set_disabled(ada.id, None)

    assert await late.holds() == [False] * 5
