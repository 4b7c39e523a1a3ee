"""The store on both databases with an account in it, and a verifier of an authority that the test rules."""

from datetime import UTC, datetime

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from oauth.models import User
from oauth.stores.accounts import AccountStore
from oauth.verifier import Verifier
from tests.oauth.authorities import KEY, Authority, Time, who
from tests.oauth.token_house import House


@pytest.fixture
def now() -> datetime:
    return datetime(2026, 11, 20, 9, 0, 0, 123_000, tzinfo=UTC)


@pytest.fixture
def store(engine: AsyncEngine) -> AccountStore:
    return AccountStore(engine)


@pytest.fixture
async def ada(store: AccountStore, now: datetime) -> User:
    user = User("1f0c4a52-6c1f-4a6e-9d7a-3f1f5b0a7c11", "ada@example.com", now, password_hash="argon2-of-ada")
    await store.add_user(user)
    return user


@pytest.fixture
def time() -> Time:
    return Time()


@pytest.fixture
def authority() -> Authority:
    return Authority({KEY: who()})


@pytest.fixture
def verifier(authority: Authority, time: Time) -> Verifier:
    return Verifier(authority, clock=time.clock, wall=time.wall)


@pytest.fixture
def house(engine: AsyncEngine, ada: User, now: datetime) -> House:
    return House(engine, ada, now)
