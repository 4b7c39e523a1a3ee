"""One product for all that is tried on it."""

from collections.abc import AsyncIterator

import pytest

from tests.fuzz.world import World, opened


@pytest.fixture(scope="module")
async def world(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[World]:
    async with opened(tmp_path_factory.mktemp("fuzz")) as world:
        yield world
