"""What the gateway's tests may ask for."""

import pytest

from tests.support import FakeApi


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def api() -> FakeApi:
    """A network on which nothing answers yet."""
    return FakeApi()
