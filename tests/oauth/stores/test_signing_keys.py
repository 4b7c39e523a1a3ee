"""Signing keys on both databases: one for each span, told to every process, gone when nobody needs them."""

import asyncio
from dataclasses import replace
from datetime import datetime, timedelta

import pytest
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncEngine

from oauth.grants import SigningKey
from oauth.stores.signing_keys import SigningKeyStore
from oauth.stores.tables import signing_keys

DAY = timedelta(days=1)


@pytest.fixture
def keys(engine: AsyncEngine) -> SigningKeyStore:
    return SigningKeyStore(engine)


@pytest.fixture
def key(now: datetime) -> SigningKey:
    return SigningKey("one", "sealed", {"kty": "EC", "kid": "one"}, now, now + 30 * DAY, now + 31 * DAY)


async def test_a_span_has_one_key_however_many_processes_make_one(
    keys: SigningKeyStore, key: SigningKey, now: datetime
) -> None:
    rivals = [replace(key, kid=f"k{number}") for number in range(10)]

    kept = await asyncio.gather(*(keys.add_signing_key(rival) for rival in rivals))

    assert kept.count(True) == 1
    assert [one.kid for one in await keys.signing_keys(now)] == [rivals[kept.index(True)].kid]
    assert await keys.signing_keys_revision() == 1


async def test_keys_come_the_oldest_first_and_only_while_they_are_published(
    keys: SigningKeyStore, key: SigningKey, now: datetime
) -> None:
    later = replace(key, kid="two", signs_from=now + 30 * DAY, published_until=now + 61 * DAY)
    for one in (later, key):
        await keys.add_signing_key(one)

    listed = [[one.kid for one in await keys.signing_keys(now + days * DAY)] for days in (0, 30.9, 31, 61)]

    assert listed == [["one", "two"], ["one", "two"], ["two"], []]


async def test_what_is_published_no_more_is_forgotten_with_its_private_half(
    keys: SigningKeyStore, key: SigningKey, now: datetime, engine: AsyncEngine
) -> None:
    await keys.add_signing_key(key)

    assert [await keys.drop_signing_keys(now + days * DAY) for days in (30.9, 31, 32)] == [0, 1, 0]

    async with engine.connect() as connection:
        assert (await connection.execute(select(signing_keys))).all() == []
