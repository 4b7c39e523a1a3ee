"""Accounts and keys in SQLite and in PostgreSQL."""

import asyncio
from dataclasses import replace
from datetime import datetime, timedelta

import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from oauth.errors import Conflict, StoreUnavailable
from oauth.models import ApiKey, OwnedKey, User
from oauth.primitives import secrets
from oauth.stores.accounts import AccountStore

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


async def test_an_address_has_one_account(store: AccountStore, ada: User) -> None:
    with pytest.raises(Conflict):
        await store.add_user(replace(ada, id="another"))

    assert await store.list_users() == [ada]


async def test_nothing_is_found_by_a_pattern_or_another_spelling(store: AccountStore, ada: User, now: datetime) -> None:
    key = key_of(ada, now, digest="ab" * 32)
    await store.add_key(key)

    for guess in ("%", "_" * 64, key.digest.upper(), key.digest[:-1], key.digest + " ", ""):
        assert await store.find_by_digest(guess) is None


async def test_keys_are_listed_newest_first_and_by_account(store: AccountStore, ada: User, now: datetime) -> None:
    bob = replace(ada, id="b", email="bob@example.com")
    await store.add_user(bob)
    old, new, other = key_of(ada, now), key_of(ada, now + HOUR), key_of(bob, now + 2 * HOUR)
    for key in (old, new, other):
        await store.add_key(key)

    assert [owned.key for owned in await store.list_keys()] == [other, new, old]
    assert [owned.key for owned in await store.list_keys(ada.id)] == [new, old]


async def test_a_revocation_keeps_its_first_time_and_is_announced(
    store: AccountStore, ada: User, now: datetime
) -> None:
    key = key_of(ada, now)
    await store.add_key(key)
    before = await store.revision()

    await store.revoke_key(key.id, now)
    await store.revoke_key(key.id, now + HOUR)

    found = await store.find_key(key.id)
    assert found is not None
    assert found.key.revoked_at == now
    assert await store.revision() > before


async def test_disabling_and_enabling_an_account_is_announced(store: AccountStore, ada: User, now: datetime) -> None:
    revisions = [await store.revision()]
    for at in (now, None):
        await store.set_disabled(ada.id, at)
        revisions.append(await store.revision())
        assert await store.find_user(ada.email) == replace(ada, disabled_at=at)

    assert revisions == sorted(set(revisions))


async def test_a_replaced_key_ends_and_its_successor_is_there_or_neither(
    store: AccountStore, ada: User, now: datetime
) -> None:
    old = key_of(ada, now)
    await store.add_key(old)
    before = await store.revision()
    successor = key_of(ada, now, rotated_from=old.id)

    await store.replace_key(successor, now + HOUR, now)
    with pytest.raises(Conflict):
        await store.replace_key(key_of(ada, now, rotated_from=old.id), now + 2 * HOUR, now)

    assert {owned.key for owned in await store.list_keys()} == {
        successor,
        replace(old, expires_at=now + HOUR),
    }
    assert await store.revision() == before + 1


@pytest.mark.parametrize("ended", [{"revoked_at": True}, {"expires_at": True}])
async def test_a_key_that_has_ended_is_not_replaced(
    store: AccountStore, ada: User, now: datetime, ended: dict[str, bool]
) -> None:
    old = key_of(ada, now, **dict.fromkeys(ended, now))
    await store.add_key(old)

    with pytest.raises(Conflict):
        await store.replace_key(key_of(ada, now, rotated_from=old.id), now + HOUR, now)

    assert [owned.key for owned in await store.list_keys()] == [old]


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
