"""Signing keys on both databases: one for each span, told to every process, gone when nobody needs them."""

import asyncio
from dataclasses import replace
from datetime import datetime, timedelta

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from oauth.grants import SigningKey
from oauth.stores.signing_keys import SigningKeyStore

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
