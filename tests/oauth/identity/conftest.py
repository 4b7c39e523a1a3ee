"""The provider's process, well behaved at the beginning of each test, and the way to it."""

from collections.abc import Iterator

import httpx2
import pytest

from oauth.identity.provider import ProviderClient
from tests.oauth.oidc_provider import Running, running


@pytest.fixture(scope="session")
def process(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with running(tmp_path_factory.mktemp("provider")) as provider:
        yield provider


@pytest.fixture
def idp(process: Running) -> Running:
    process.told(rotate="ES256")
    return process


@pytest.fixture
def door() -> ProviderClient:
    return ProviderClient(lambda: httpx2.AsyncHTTPTransport(trust_env=False))
