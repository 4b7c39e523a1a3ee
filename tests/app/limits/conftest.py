"""One Redis for all tests of a module; each uses identities of its own."""

from collections.abc import Iterator

import pytest

from tests.redis import Server, redis_server


@pytest.fixture(scope="module")
def shared() -> Iterator[Server]:
    with redis_server() as server:
        yield server


@pytest.fixture
def own() -> Iterator[Server]:
    """A server that a test may freeze and kill."""
    with redis_server() as server:
        yield server
