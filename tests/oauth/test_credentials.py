"""The embedded accounts as the authority on keys."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timedelta

import pytest
from sqlalchemy import event
from sqlalchemy.ext.asyncio import AsyncEngine

from oauth.credentials import StoredKeys
from oauth.errors import StoreUnavailable
from oauth.flows.accounts import disable_user, enable_user
from oauth.flows.api_keys import create_key
from oauth.models import ApiKey, NewKey, User
from oauth.primitives import secrets
from oauth.stores.accounts import AccountStore

HOUR = timedelta(hours=1)
READ = frozenset({"sparks:read"})


class Now:
    def __init__(self, at: datetime) -> None:
        self.at = at

    def __call__(self) -> datetime:
        return self.at


class FailsOnce(AccountStore):
    """A store whose first write fails."""

    _failed = False

    async def touch(self, uses: Mapping[str, datetime]) -> None:
        if not self._failed:
            self._failed = True
            raise StoreUnavailable("locked")
        await super().touch(uses)


@pytest.fixture
def clock(now: datetime) -> Now:
    return Now(now)


@pytest.fixture
def keys(store: AccountStore, clock: Now) -> StoredKeys:
    return StoredKeys(store, clock)


@pytest.fixture
async def made(store: AccountStore, ada: User, now: datetime) -> NewKey:
    return await create_key(store, ada, name="laptop", scopes=READ, lifetime=24 * HOUR, now=now)


async def last_use(store: AccountStore, key: ApiKey) -> datetime | None:
    owned = await store.find_key(key.id)
    assert owned is not None
    return owned.key.last_used_at


async def test_a_legacy_key_is_accepted(keys: StoredKeys, store: AccountStore, made: NewKey) -> None:
    legacy = "aox_" + "0b" * 24
    await store.add_key(replace(made.key, id="c" + "0" * 24, digest=secrets.digest(legacy)))

    verified = await keys.check(legacy)

    assert verified is not None
    assert verified.client_id == "c" + "0" * 24


@pytest.mark.security("AK-11")
async def test_a_misspelt_key_costs_no_query(keys: StoredKeys, engine: AsyncEngine, made: NewKey) -> None:
    statements: list[str] = []
    event.listen(engine.sync_engine, "before_cursor_execute", lambda *args: statements.append(args[2]))
    last = "0" if made.secret[-1] != "0" else "1"

    assert await keys.check(made.secret[:-1] + last) is None
    assert await keys.check(made.secret.upper()) is None
    assert await keys.check("minds_%") is None

    assert statements == []


async def test_the_keys_of_a_disabled_account_fail_until_it_is_enabled(
    keys: StoredKeys, store: AccountStore, ada: User, made: NewKey, now: datetime
) -> None:
    await disable_user(store, ada.email, now)
    assert await keys.check(made.secret) is None

    await enable_user(store, ada.email)

    assert await keys.check(made.secret) is not None


async def test_a_use_is_written_when_it_is_noted_and_not_by_the_check(
    keys: StoredKeys, store: AccountStore, made: NewKey, clock: Now
) -> None:
    await keys.check(made.secret)
    assert await last_use(store, made.key) is None

    await keys.note_uses()

    assert await last_use(store, made.key) == clock()


async def test_what_could_not_be_noted_is_noted_later(
    made: NewKey, store: AccountStore, engine: AsyncEngine, clock: Now
) -> None:
    ring = FailsOnce(engine)
    keys = StoredKeys(ring, clock)
    await keys.check(made.secret)

    with pytest.raises(StoreUnavailable):
        await keys.note_uses()
    await keys.note_uses()

    assert await last_use(store, made.key) == clock()
