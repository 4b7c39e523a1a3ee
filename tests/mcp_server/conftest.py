"""What the gateway's tests may ask for: a network that answers nothing yet, and a gateway with fixture tools."""

from collections.abc import AsyncIterator

import pytest

from tests.edge import Edge, running, settings_for
from tests.support import FakeApi


@pytest.fixture
def api() -> FakeApi:
    """A network on which nothing answers yet."""
    return FakeApi()


@pytest.fixture(scope="module")
async def edge(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Edge]:
    """One gateway for all tests of a module: none of them leaves anything behind in it."""
    async with running(settings_for(tmp_path_factory.mktemp("edge"))) as edge:
        yield edge
