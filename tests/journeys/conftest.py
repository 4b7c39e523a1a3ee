"""One real server for all journeys: each makes personas of its own."""

from collections.abc import Iterator

import pytest

from tests.journeys.gateway import Gateway, running_gateway


@pytest.fixture(scope="session")
def gateway(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gateway]:
    with running_gateway(tmp_path_factory.mktemp("gateway")) as running:
        yield running
