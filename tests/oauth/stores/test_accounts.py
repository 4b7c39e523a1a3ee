"""Accounts and keys in SQLite and in PostgreSQL."""

import asyncio
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from oauth.errors import Conflict, StoreUnavailable
from oauth.grants import Device, Session
from oauth.models import ApiKey, OwnedKey, User
from oauth.primitives import secrets
from oauth.stores.accounts import AccountStore
from oauth.stores.devices import DeviceStore
from oauth.stores.grants import GrantStore
from oauth.stores.sessions import SessionStore
from tests.oauth.delegations import code_of, grant_of, refresh_of

HOUR = timedelta(hours=1)


def key_of(user: User, now: datetime, **changes: object) -> ApiKey:
    key = ApiKey(
        id=secrets.new_key_id(),
        user_id=user.id,
        name="laptop",
        prefix="minds_012345",
        last4="cdef",
        digest=secrets.digest(secrets.new_key()),
        scopes=frozenset({"docs:read", "sparks:read"}),
        created_at=now,
    )
    return replace(key, **changes)  # type: ignore[arg-type]  # the changes are checked by the class itself


async def test_nothing_is_found_by_a_pattern_or_another_spelling(store: AccountStore, ada: User, now: datetime) -> None:
    key = key_of(ada, now, digest="ab" * 32)
    await store.add_key(key)

    for guess in ("%", "_" * 64, key.digest.upper(), key.digest[:-1], key.digest + " ", ""):
        assert await store.find_by_digest(guess) is None


async def test_a_replaced_key_ends_and_its_successor_is_there_or_neither(
    store: AccountStore, ada: User, now: datetime
) -> None:
    old = key_of(ada, now)
    await store.add_key(old)
    before = (await store.revisions())["keys"]
    successor = key_of(ada, now, rotated_from=old.id)

    await store.replace_key(successor, now + HOUR, now)
    with pytest.raises(Conflict):
        await store.replace_key(key_of(ada, now, rotated_from=old.id), now + 2 * HOUR, now)

    assert {owned.key for owned in await store.list_keys()} == {successor, replace(old, expires_at=now + HOUR)}
    assert (await store.revisions())["keys"] == before + 1


async def test_a_revocation_is_taken_back_by_its_own_time_alone(store: AccountStore, ada: User, now: datetime) -> None:
    key, other = key_of(ada, now), key_of(ada, now)
    for each in (key, other):
        await store.add_key(each)
        await store.revoke_key(each.id, now)
    await store.revoke_key(other.id, now + timedelta(seconds=5))  # somebody else, as long as it may be taken back
    before = (await store.revisions())["keys"]

    taken_back = [
        await store.restore_key("somebody else", key.id, now),
        await store.restore_key(ada.id, key.id, now + HOUR),
        await store.restore_key(ada.id, other.id, now),
        await store.restore_key(ada.id, key.id, now),
        await store.restore_key(ada.id, key.id, now),
    ]

    await store.revoke_key(other.id, now + HOUR)
    found = {owned.key.id: owned.key.revoked_at for owned in await store.list_keys()}
    assert taken_back == [False, False, False, True, False]
    assert found == {key.id: None, other.id: now + timedelta(seconds=5)}
    assert (await store.revisions())["keys"] == before + 2


async def test_an_address_is_changed_unless_it_is_taken_or_the_account_was_changed(
    store: AccountStore, ada: User, now: datetime
) -> None:
    await store.add_user(replace(ada, id="b", email="bob@example.com"))

    for user, email in ((ada, "bob@example.com"), (replace(ada, email="old@example.com"), "new@example.com")):
        with pytest.raises(Conflict):
            await store.set_email(user, email)
    await store.set_email(ada, "new@example.com")

    assert [user.email for user in await store.list_users()] == ["bob@example.com", "new@example.com"]


async def test_of_many_rotations_at_once_one_succeeds(store: AccountStore, ada: User, now: datetime) -> None:
    old = key_of(ada, now)
    await store.add_key(old)
    successors = [key_of(ada, now, rotated_from=old.id) for _ in range(8)]

    outcomes = await asyncio.gather(
        *(store.replace_key(successor, now + HOUR, now) for successor in successors), return_exceptions=True
    )

    assert outcomes.count(None) == 1
    assert all(isinstance(outcome, Conflict) for outcome in outcomes if outcome is not None)
    assert len(await store.list_keys()) == 2


async def test_a_failure_quotes_neither_digest_nor_password_hash(
    store: AccountStore, engine: AsyncEngine, ada: User, now: datetime
) -> None:
    async with engine.begin() as connection:
        await connection.execute(text("ALTER TABLE api_keys RENAME TO gone_keys"))
        await connection.execute(text("ALTER TABLE users RENAME TO gone_users"))
    key = key_of(ada, now)

    for question in (store.find_by_digest(key.digest), store.add_key(key), store.add_user(ada)):
        with pytest.raises(StoreUnavailable) as failure:
            await question
        assert key.digest not in str(failure.value)
        assert "argon2-of-ada" not in str(failure.value)


async def test_a_reader_does_not_wait_for_a_writer(
    store: AccountStore, engine: AsyncEngine, ada: User, now: datetime
) -> None:
    key = key_of(ada, now)
    await store.add_key(key)

    async with engine.begin() as writer:
        await writer.execute(text("UPDATE users SET email = 'changed@example.com'"))
        async with asyncio.timeout(2):
            found = await store.find_by_digest(key.digest)

    assert found == OwnedKey(key, ada)


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
    before = (await begun.grants.revisions())["grants"]
    await store.set_disabled(begun.user.id, begun.now)
    announced = (await begun.grants.revisions())["grants"] > before

    await store.set_disabled(begun.user.id, None)

    ended = await begun.grants.find_grant(begun.grant.id)
    assert announced
    assert ended is not None
    assert (ended.revoked_at, await begun.holds()) == (begun.now, [False] * 5)


@pytest.mark.security("AK-04")
async def test_of_a_deleted_account_nothing_is_kept_and_every_process_is_told(
    store: AccountStore, engine: AsyncEngine, begun: Begun, now: datetime
) -> None:
    key = key_of(begun.user, now)
    await store.add_key(key)
    await store.replace_key(key_of(begun.user, now, rotated_from=key.id), now + HOUR, now)
    bob = User("2f0c4a52-6c1f-4a6e-9d7a-3f1f5b0a7c22", "bob@example.com", now)
    await store.add_user(bob)
    other = Begun(engine, bob, now)
    await other.grants.add_grant(other.grant)
    before = await store.revisions()

    await store.delete_user(begun.user.id)

    after = await store.revisions()
    assert all(after[name] > before[name] for name in ("grants", "keys"))
    assert await begun.holds() == [False] * 5
    assert (await store.list_users(), await store.list_keys()) == ([bob], [])
    assert await other.grants.find_live_grant(other.grant.id, now) is not None


async def test_an_account_is_enabled_until_it_is_disabled(store: AccountStore, ada: User, now: datetime) -> None:
    assert await store.is_enabled(ada.id)

    await store.set_disabled(ada.id, now)

    assert not await store.is_enabled(ada.id)
    assert not await store.is_enabled("nobody")


@pytest.mark.security("CO-17")
async def test_what_was_begun_while_it_was_being_disabled_ends_when_it_is_enabled(
    store: AccountStore, engine: AsyncEngine, ada: User, now: datetime
) -> None:
    await store.set_disabled(ada.id, now)
    late = Begun(engine, ada, now)
    await late.begin()

    await store.set_disabled(ada.id, None)

    assert await late.holds() == [False] * 5
