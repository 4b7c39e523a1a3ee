"""Beside the requests: revocations from elsewhere, last uses, and a database that comes and goes."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from datetime import datetime

import pytest
from sqlalchemy.engine import URL

from app.storage.engine import open_engine
from oauth import maintenance
from oauth.credentials import StoredKeys
from oauth.errors import StoreUnavailable
from oauth.flows.api_keys import create_key, revoke_key
from oauth.maintenance import Maintenance
from oauth.models import NewKey, User
from oauth.primitives.clock import utc_now
from oauth.primitives.scopes import ALL
from oauth.stores.accounts import AccountStore
from oauth.verifier import Verifier


@pytest.fixture
async def made(store: AccountStore, ada: User) -> NewKey:
    return await create_key(store, ada, name="laptop", scopes=ALL, lifetime=None, now=utc_now())


async def eventually(holds: Callable[[], Awaitable[bool]]) -> None:
    async with asyncio.timeout(10):
        while not await holds():  # noqa: ASYNC110 - the change is made by a background task without an event
            await asyncio.sleep(0.01)


async def test_a_revocation_by_another_process_reaches_a_verifier_that_remembers_the_key(
    store: AccountStore, database: URL, made: NewKey
) -> None:
    keys = StoredKeys(store)
    verifier = Verifier(keys)
    elsewhere = open_engine(database)

    async def refused() -> bool:
        return await verifier.verify(made.secret) is None

    async with Maintenance(verifier, keys, notice_every=0.01).running():
        assert not await refused()
        await revoke_key(AccountStore(elsewhere), made.key.id, utc_now())
        await eventually(refused)
    await elsewhere.dispose()


async def test_uses_are_written_in_the_background_and_at_the_end(store: AccountStore, made: NewKey) -> None:
    keys = StoredKeys(store)
    verifier = Verifier(keys)

    async with Maintenance(verifier, keys, note_every=3600).running():
        await verifier.verify(made.secret)

    owned = await store.find_key(made.key.id)
    assert owned is not None
    assert owned.key.last_used_at is not None


class Faulty:
    """An authority whose database comes and goes."""

    def __init__(self) -> None:
        self.down = True
        self.looks = 0

    async def revision(self) -> int:
        self.looks += 1
        if self.down:
            raise StoreUnavailable("gone")
        return self.looks

    async def note_uses(self) -> None:
        await self.revision()


async def test_a_database_that_is_gone_is_told_and_looked_for_again(
    store: AccountStore, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING)
    keys = Faulty()

    async def looked_again() -> bool:
        return keys.looks > seen

    async with Maintenance(Verifier(StoredKeys(store)), keys, notice_every=0.01).running():
        seen = keys.looks + 3
        await eventually(looked_again)
        keys.down, seen = False, keys.looks
        await eventually(looked_again)

    assert "gone" in caplog.text


async def test_revocations_are_looked_for_often_only_while_an_answer_is_remembered(
    store: AccountStore, made: NewKey, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(maintenance, "IDLE_SECONDS", 3_600)
    seconds, keys = 0.0, Faulty()
    keys.down = False
    verifier = Verifier(StoredKeys(store), ttl=60, clock=lambda: seconds)

    async def looked_again() -> bool:
        await verifier.verify(made.secret)
        return keys.looks > seen + 3

    async with Maintenance(verifier, keys, notice_every=0.01).running():
        seen = keys.looks
        await eventually(looked_again)
    await verifier.verify(made.secret)
    kept = verifier.remembers.is_set()
    seconds = 60.0
    verifier.drop_expired()

    assert (kept, verifier.remembers.is_set()) == (True, False)


async def test_every_watched_number_counts_and_one_that_stands_still_hides_none(store: AccountStore) -> None:
    cleared: list[None] = []

    class Seen(Verifier):
        def clear(self) -> None:
            cleared.append(None)

    class Number:
        value = 0

        async def revision(self) -> int:
            return self.value

        async def note_uses(self) -> None:
            pass

    keys, grants, ring = Number(), Number(), Number()
    upkeep = Maintenance(Seen(StoredKeys(store)), keys, grants, rings=[ring])
    looks = []
    for number in (None, keys, None, grants, ring, None):
        if number is not None:
            number.value += 1
        await upkeep.notice()
        looks.append(len(cleared))

    assert looks == [1, 2, 2, 3, 4, 4]


async def test_chores_are_done_at_the_start_with_the_time_of_day_and_one_that_fails_hinders_no_other(
    store: AccountStore, now: datetime, caplog: pytest.LogCaptureFixture
) -> None:
    done = asyncio.Event()
    times: list[datetime] = []

    async def drop(at: datetime) -> int:
        times.append(at)
        done.set()
        return 3

    async def fail(at: datetime) -> None:
        raise StoreUnavailable("gone")

    keys = StoredKeys(store)
    async with Maintenance(Verifier(keys), keys, chores=[fail, drop], now=lambda: now).running():
        async with asyncio.timeout(10):
            await done.wait()

    assert times == [now]
    assert "gone" in caplog.text
