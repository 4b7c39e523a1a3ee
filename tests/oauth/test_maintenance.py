"""Beside the requests: last uses, chores, and a database that comes and goes."""

import asyncio
import logging
from collections.abc import Callable
from datetime import datetime

import pytest

from oauth.credentials import StoredKeys
from oauth.errors import StoreUnavailable
from oauth.flows.api_keys import create_key
from oauth.maintenance import Maintenance
from oauth.models import User
from oauth.primitives.clock import utc_now
from oauth.primitives.scopes import ALL
from oauth.stores.accounts import AccountStore


async def test_uses_are_written_in_the_background_and_at_the_end(store: AccountStore, ada: User) -> None:
    made = await create_key(store, ada, name="laptop", scopes=ALL, lifetime=None, now=utc_now())
    keys = StoredKeys(store)

    async with Maintenance(keys.note_uses, note_every=3600).running():
        await keys.check(made.secret)

    owned = await store.find_key(made.key.id)
    assert owned is not None
    assert owned.key.last_used_at is not None


class Faulty:
    """An authority whose database comes and goes."""

    def __init__(self) -> None:
        self.down, self.notes = True, 0

    async def note_uses(self) -> None:
        self.notes += 1
        if self.down:
            raise StoreUnavailable("gone")


async def eventually(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(10):
        while not holds():  # noqa: ASYNC110 - the change is made by a background task without an event
            await asyncio.sleep(0.01)


async def test_a_database_that_is_gone_is_logged_and_written_to_again(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING)
    keys = Faulty()

    async with Maintenance(keys.note_uses, note_every=0.01).running():
        await eventually(lambda: keys.notes > 3)
        keys.down, notes = False, keys.notes
        await eventually(lambda: keys.notes > notes)

    assert "gone" in caplog.text


async def test_chores_are_done_at_the_start_with_the_time_of_day_and_one_that_fails_hinders_no_other(
    now: datetime, caplog: pytest.LogCaptureFixture
) -> None:
    times: list[datetime] = []

    async def drop(at: datetime) -> int:
        times.append(at)
        return 3

    async def fail(at: datetime) -> None:
        raise StoreUnavailable("gone")

    async with Maintenance(chores=[fail, drop], now=lambda: now).running():
        assert times == [now]

    assert "gone" in caplog.text
