"""One gateway for the tests of a module; each test has people of its own."""

from collections.abc import AsyncIterator

import pytest

from tests.app.console.people import House, Person, house


@pytest.fixture(scope="module")
async def home(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[House]:
    async with house(tmp_path_factory.mktemp("console")) as opened:
        yield opened


@pytest.fixture
async def ada(home: House) -> Person:
    return await home.person()
