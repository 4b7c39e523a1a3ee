"""Reading and writing on both databases, and what a failure of them becomes."""

import asyncio

import pytest
from sqlalchemy import insert, select, text
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncEngine

from oauth.errors import StoreUnavailable
from oauth.stores import base
from oauth.stores.base import Store, announce
from oauth.stores.tables import revisions


async def test_an_announcement_raises_its_own_counter_only(engine: AsyncEngine) -> None:
    database = Store(engine)

    async with database.writing() as connection:
        await announce(connection, "grants")

    assert await Store(engine).revisions() == {"grants": 1, "keys": 0, "signing_keys": 0}


async def test_a_fault_of_the_database_is_no_answer_and_a_broken_constraint_is_one(engine: AsyncEngine) -> None:
    database = Store(engine)

    async def break_a_constraint() -> None:
        async with database.writing() as connection:
            await connection.execute(insert(revisions).values(name="keys", value=0))

    with pytest.raises(IntegrityError):
        await break_a_constraint()
    async with engine.begin() as connection:
        await connection.execute(text("ALTER TABLE oauth_revisions RENAME TO gone"))
    with pytest.raises(StoreUnavailable):
        await database.read(select(revisions))


async def test_a_database_that_says_nothing_is_no_answer(engine: AsyncEngine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(base, "PATIENCE", 0.01)

    async def wait_for_ever() -> None:
        async with Store(engine).writing():
            await asyncio.Event().wait()

    with pytest.raises(StoreUnavailable, match="no answer"):
        await wait_for_ever()
