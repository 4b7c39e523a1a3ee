"""One gateway with fixture tools for all tests of a module: none of them leaves anything behind in it."""

from collections.abc import AsyncIterator

import pytest

from tests.edge import Edge, running, settings_for


@pytest.fixture(scope="module")
async def edge(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Edge]:
    async with running(settings_for(tmp_path_factory.mktemp("edge"))) as edge:
        yield edge
