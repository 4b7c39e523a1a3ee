"""Two real servers for all journeys, one for keys and one to sign in to: each makes personas of its own."""

from collections.abc import Iterator
from uuid import uuid4

import pytest
from sqlalchemy import URL

from tests.conftest import in_thread
from tests.databases import Databases, sent
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


@pytest.fixture(scope="module")
def site_database(postgres: URL, migrated_postgres: Databases) -> Iterator[URL]:
    """A database on PostgreSQL for the servers that all tests of a module share."""
    name = f"site_{uuid4().hex}"
    in_thread(sent(postgres, f"CREATE DATABASE {name} TEMPLATE {migrated_postgres.template}"))
    yield postgres.set(database=name)
    in_thread(sent(postgres, f"DROP DATABASE {name} WITH (FORCE)"))
