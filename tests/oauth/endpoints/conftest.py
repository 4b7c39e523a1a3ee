"""The browser's endpoints on both databases, with two accounts."""

from collections.abc import AsyncIterator
from datetime import datetime

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from oauth.models import User
from oauth.stores.accounts import AccountStore
from tests.oauth.browsing import Gate, gate_on


@pytest.fixture
async def bob(store: AccountStore, now: datetime) -> User:
    user = User("2f0c4a52-6c1f-4a6e-9d7a-3f1f5b0a7c22", "bob@example.com", now, password_hash="argon2-of-bob")
    await store.add_user(user)
    return user


@pytest.fixture
async def gate(engine: AsyncEngine, ada: User, bob: User) -> AsyncIterator[Gate]:
    async with gate_on(engine, ada, bob) as gate:
        yield gate
