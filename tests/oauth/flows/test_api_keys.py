"""The life of a key."""

from datetime import datetime, timedelta

import pytest
from pydantic import SecretStr
from sqlalchemy import select, update
from sqlalchemy.ext.asyncio import AsyncEngine

from oauth.errors import Conflict, Unacceptable
from oauth.flows.accounts import disable_user, require_user
from oauth.flows.api_keys import Links, create_key, revoke_key, rotate_key
from oauth.models import ApiKey, NewKey, User, Verified
from oauth.primitives import secrets
from oauth.primitives.scopes import ALL
from oauth.primitives.sealing import Sealer
from oauth.stores.accounts import AccountStore, LinkedKeyStore
from oauth.stores.base import on_announcement
from oauth.stores.tables import linked_keys

HOUR = timedelta(hours=1)
DAY = timedelta(days=1)


async def laptop(store: AccountStore, user: User, now: datetime, lifetime: timedelta | None = None) -> NewKey:
    return await create_key(store, user, name="laptop", scopes=ALL, lifetime=lifetime, now=now)


async def kept(store: AccountStore, key_id: str) -> ApiKey:
    owned = await store.find_key(key_id)
    assert owned is not None
    return owned.key


async def test_a_new_key_is_kept_by_its_digest_only(store: AccountStore, ada: User, now: datetime) -> None:
    made = await laptop(store, ada, now, DAY)

    key = await kept(store, made.key.id)
    assert key == made.key
    assert secrets.looks_like_key(made.secret)
    assert (key.digest, key.user_id, key.scopes) == (secrets.digest(made.secret), ada.id, ALL)
    assert (key.prefix, key.last4) == (made.secret[:12], made.secret[-4:])
    assert (key.created_at, key.expires_at) == (now, now + DAY)


@pytest.mark.parametrize("name", ["", "   ", "x" * 101, "two\nlines", "\x1b[31mred", "\u202egnp.exe", "nul\0"])
async def test_a_name_that_cannot_be_shown_is_refused(store: AccountStore, ada: User, now: datetime, name: str) -> None:
    with pytest.raises(Unacceptable):
        await create_key(store, ada, name=name, scopes=ALL, lifetime=None, now=now)

    assert await store.list_keys() == []


@pytest.mark.parametrize("lifetime", [timedelta(), -HOUR])
async def test_a_key_must_live_for_some_time(
    store: AccountStore, ada: User, now: datetime, lifetime: timedelta
) -> None:
    with pytest.raises(Unacceptable):
        await laptop(store, ada, now, lifetime)


async def test_a_successor_has_the_same_rights_and_the_old_key_ends_after_the_overlap(
    store: AccountStore, ada: User, now: datetime
) -> None:
    old = await create_key(store, ada, name="ci", scopes=frozenset({"docs:read"}), lifetime=None, now=now)

    new = await rotate_key(store, old.key.id, overlap=HOUR, lifetime=None, now=now + DAY)

    assert new.secret != old.secret
    assert (new.key.user_id, new.key.name, new.key.scopes) == (ada.id, "ci", frozenset({"docs:read"}))
    assert (new.key.rotated_from, new.key.expires_at) == (old.key.id, None)
    assert (await kept(store, old.key.id)).expires_at == now + DAY + HOUR


@pytest.mark.parametrize(("lifetime", "expected"), [(None, 30 * DAY), (HOUR, HOUR)])
async def test_a_successor_lives_as_long_as_the_old_key_was_made_to_live_or_as_told(
    store: AccountStore, ada: User, now: datetime, lifetime: timedelta | None, expected: timedelta
) -> None:
    old = await laptop(store, ada, now, 30 * DAY)

    new = await rotate_key(store, old.key.id, overlap=HOUR, lifetime=lifetime, now=now + DAY)

    assert new.key.expires_at == now + DAY + expected


async def test_a_key_that_is_not_valid_is_not_rotated(store: AccountStore, ada: User, now: datetime) -> None:
    expired = await laptop(store, ada, now, HOUR)
    revoked = await laptop(store, ada, now)
    await revoke_key(store, revoked.key.id, now)

    for ended in (expired, revoked):
        with pytest.raises(Conflict):
            await rotate_key(store, ended.key.id, overlap=HOUR, lifetime=None, now=now + DAY)

    working = await laptop(store, await require_user(store, ada.email), now)
    await disable_user(store, ada.email, now)
    with pytest.raises(Conflict):
        await rotate_key(store, working.key.id, overlap=HOUR, lifetime=None, now=now)
    assert len(await store.list_keys()) == 3


SEALER = Sealer(SecretStr("an installation's secret"))


class Api:
    """The real internal API: it takes every key but the one that ends in 0000."""

    async def check(self, bearer: str, /) -> Verified | None:
        return None if bearer.endswith("0000") else Verified("somebody", frozenset(), "key")


@pytest.fixture
def links(engine: AsyncEngine) -> Links:
    return Links(LinkedKeyStore(engine), SEALER, Api())


async def test_a_linked_key_comes_back_and_stands_nowhere_in_the_clear(
    links: Links, engine: AsyncEngine, ada: User, now: datetime
) -> None:
    key = secrets.new_key()
    await links.link(ada.id, f" {key}\n", now)

    found = await links.key_of(ada.id, now)
    assert found is not None
    assert found.get_secret_value() == key
    assert await links.last4(ada.id) == key[-4:]
    async with engine.connect() as connection:
        assert key[6:30] not in str((await connection.execute(select(linked_keys))).all())


async def test_every_process_asks_again_when_a_key_was_linked_or_removed(
    links: Links, engine: AsyncEngine, ada: User, now: datetime
) -> None:
    store, told = LinkedKeyStore(engine), []
    on_announcement(engine, lambda: told.append("look"))
    numbers = [await store.revisions()]
    await links.link(ada.id, secrets.new_key(), now)
    numbers.append(await store.revisions())
    await store.unlink_key(ada.id)
    numbers.append(await store.revisions())

    assert numbers[0] != numbers[1] != numbers[2]
    assert told == ["look", "look"]


async def test_a_row_that_was_given_to_another_account_does_not_open(
    links: Links, engine: AsyncEngine, ada: User, now: datetime
) -> None:
    await links.link(ada.id, secrets.new_key(), now)
    other = await Links(LinkedKeyStore(engine), Sealer(SecretStr("another secret")), Api()).key_of(ada.id, now)

    assert other is None
    async with engine.begin() as connection:
        sealed = SEALER.seal("linked key of bob", b"minds_", now)
        await connection.execute(update(linked_keys).values(sealed=sealed))
    assert await links.key_of(ada.id, now) is None


async def test_what_is_no_key_is_refused_and_not_quoted(links: Links, ada: User, now: datetime) -> None:
    with pytest.raises(Unacceptable) as refused:
        await links.link(ada.id, "hunter2", now)

    assert "hunter2" not in str(refused.value)


async def test_a_key_that_the_api_does_not_take_is_not_linked(links: Links, ada: User, now: datetime) -> None:
    with pytest.raises(Unacceptable, match="does not take"):
        await links.link(ada.id, "minds_" + "0" * 48, now)

    assert await links.last4(ada.id) is None
