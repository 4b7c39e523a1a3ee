"""The store on both databases with an account in it, and a verifier of an authority that the test rules."""

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from oauth.identity.provider import ProviderClient
from oauth.models import User
from oauth.stores.accounts import AccountStore
from oauth.stores.clients import ClientStore
from oauth.verifier import Verifier
from tests.oauth.authorities import KEY, Authority, Time, who
from tests.oauth.oidc_provider import TRANSPORTS, Running, running
from tests.oauth.token_house import House


@pytest.fixture
def now() -> datetime:
    return datetime(2026, 11, 20, 9, 0, 0, 123_000, tzinfo=UTC)


@pytest.fixture
def store(engine: AsyncEngine) -> AccountStore:
    return AccountStore(engine)


@pytest.fixture
def registered(engine: AsyncEngine) -> ClientStore:
    return ClientStore(engine)


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


@pytest.fixture(scope="session")
def process(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with running(tmp_path_factory.mktemp("provider")) as provider:
        yield provider


@pytest.fixture
def idp(process: Running) -> Running:
    """The identity provider's process, well behaved at the beginning of each test."""
    process.told(rotate="ES256")
    return process


@pytest.fixture
def door() -> ProviderClient:
    return ProviderClient(TRANSPORTS)
