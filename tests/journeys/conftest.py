"""Two real servers for all journeys, one for keys and one to sign in to: each makes personas of its own."""

from collections.abc import Iterator

import pytest

from tests.journeys.gateway import Gateway, running_gateway
from tests.journeys.house import House, running_house


@pytest.fixture(scope="session")
def gateway(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gateway]:
    with running_gateway(tmp_path_factory.mktemp("gateway")) as running:
        yield running


@pytest.fixture(scope="session")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    with running_house(tmp_path_factory.mktemp("house")) as running:
        yield running
