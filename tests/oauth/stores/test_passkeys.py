"""Passkeys in SQLite and in PostgreSQL: whose they are, and a count that only goes up."""

import asyncio
from dataclasses import replace
from datetime import datetime, timedelta

import pytest
from sqlalchemy import URL, text
from sqlalchemy.ext.asyncio import AsyncEngine

from app.storage.engine import open_engine
from app.storage.migrate import upgrade
from oauth.errors import Conflict
from oauth.flows.accounts import delete_user, disable_user, enable_user
from oauth.models import Passkey, User
from oauth.stores.accounts import AccountStore
from oauth.stores.sessions import PasskeyStore
from tests.oauth.test_tables import differences


@pytest.fixture
def passkeys(engine: AsyncEngine) -> PasskeyStore:
    return PasskeyStore(engine)


@pytest.fixture
def phone(ada: User, now: datetime) -> Passkey:
    return Passkey("p1", ada.id, "credential", b"\x00key\xff", 0, "Phone", "hybrid internal", now)


@pytest.fixture
async def bob(store: AccountStore, now: datetime) -> User:
    user = User("2f0c4a52-6c1f-4a6e-9d7a-3f1f5b0a7c22", "bob@example.com", now)
    await store.add_user(user)
    return user


async def test_a_passkey_is_found_with_its_account_and_by_its_exact_name_alone(
    passkeys: PasskeyStore, phone: Passkey, ada: User
) -> None:
    await passkeys.add_passkey(phone)

    assert await passkeys.find_passkey("credential") == (phone, ada)
    assert await passkeys.find_passkey("Credential") is None
    assert await passkeys.find_passkey("") is None


async def test_a_credential_belongs_to_one_account(
    passkeys: PasskeyStore, phone: Passkey, ada: User, bob: User
) -> None:
    await passkeys.add_passkey(phone)

    with pytest.raises(Conflict):
        await passkeys.add_passkey(replace(phone, id="p2", user_id=bob.id))

    assert [await passkeys.list_passkeys(user.id) for user in (ada, bob)] == [[phone], []]


async def test_passkeys_are_listed_in_the_order_in_which_they_came(
    passkeys: PasskeyStore, phone: Passkey, ada: User, now: datetime
) -> None:
    older = replace(phone, id="p2", credential_id="older", created_at=now - timedelta(days=1))
    for each in (phone, older):
        await passkeys.add_passkey(each)

    assert await passkeys.list_passkeys(ada.id) == [older, phone]


@pytest.mark.parametrize(
    ("kept", "told", "holds"), [(0, 0, True), (0, 5, True), (5, 6, True), (5, 5, False), (5, 4, False), (5, 0, False)]
)
async def test_a_count_that_does_not_go_up_is_refused_unless_the_authenticator_does_not_count(
    passkeys: PasskeyStore, phone: Passkey, ada: User, now: datetime, kept: int, told: int, holds: bool
) -> None:
    await passkeys.add_passkey(replace(phone, sign_count=kept))

    assert await passkeys.use_passkey(phone.id, told, now) is holds

    (after,) = await passkeys.list_passkeys(ada.id)
    assert (after.sign_count, after.last_used_at) == ((told, now) if holds else (kept, None))


async def test_of_two_uses_of_one_count_at_the_same_time_one_holds(
    passkeys: PasskeyStore, phone: Passkey, now: datetime
) -> None:
    await passkeys.add_passkey(phone)

    assert sum(await asyncio.gather(*(passkeys.use_passkey(phone.id, 7, now) for _ in range(8)))) == 1


async def test_a_passkey_is_removed_by_its_owner_alone(
    passkeys: PasskeyStore, phone: Passkey, ada: User, bob: User
) -> None:
    await passkeys.add_passkey(phone)

    assert await passkeys.remove_passkey(bob.id, phone.id) is None
    assert await passkeys.remove_passkey(ada.id, phone.id) == "Phone"
    assert await passkeys.remove_passkey(ada.id, phone.id) is None
    assert await passkeys.find_passkey("credential") is None


async def test_a_disabled_account_has_none_and_a_deleted_one_leaves_none(
    passkeys: PasskeyStore, store: AccountStore, phone: Passkey, ada: User, now: datetime
) -> None:
    await passkeys.add_passkey(phone)

    await disable_user(store, ada.email, now)
    disabled = await passkeys.find_passkey("credential")
    await enable_user(store, ada.email)
    enabled = await passkeys.find_passkey("credential")
    await delete_user(store, ada.email, now)

    assert disabled is None
    assert enabled == (phone, ada)
    assert await passkeys.list_passkeys(ada.id) == []


async def test_a_new_password_leaves_the_passkeys(
    passkeys: PasskeyStore, store: AccountStore, phone: Passkey, ada: User
) -> None:
    await passkeys.add_passkey(phone)

    await store.set_password(ada, "another hash", None)

    assert await passkeys.find_passkey("credential") is not None


async def test_a_database_of_before_gets_the_table_as_it_is_declared(database: URL) -> None:
    engine = open_engine(database)
    await upgrade(engine)
    async with engine.begin() as connection:
        await connection.execute(text("DROP TABLE passkeys"))
        await connection.execute(text("UPDATE oauth_version SET version_num = '0004'"))
    await upgrade(engine)

    async with engine.connect() as connection:
        found = await connection.run_sync(differences)
    await engine.dispose()
    assert found == []
