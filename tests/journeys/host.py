"""A server of a journey's own: started, killed and started again on the same data, with keys made beside it."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import ExitStack, asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from secrets import token_hex
from typing import Any
from uuid import uuid4

import httpx2
import psutil
from sqlalchemy import update
from sqlalchemy.engine import URL
from sqlalchemy.ext.asyncio import AsyncEngine

from app.storage.engine import database_url, open_engine
from app.storage.migrate import upgrade
from oauth.flows.api_keys import create_key
from oauth.models import User
from oauth.primitives.scopes import ALL
from oauth.primitives.secrets import PREFIX_LENGTH, SUFFIX_LENGTH, digest
from oauth.stores.accounts import AccountStore
from oauth.stores.tables import api_keys
from tests.journeys.clients import PATIENCE, PythonClient
from tests.processes import HOST, Process, free_port, serving

Server = Process

PAUSE = 0.1
ATTEMPTS = 1200
"""Looks at a training, a tenth of a second apart; two minutes, which only a very busy machine needs."""


@dataclass(frozen=True)
class Host:
    """Where a server listens and keeps its data, whether it runs or not. `settings` are its environment."""

    port: int
    folder: Path
    settings: dict[str, str]

    @property
    def origin(self) -> str:
        return f"http://{HOST}:{self.port}"

    @property
    def url(self) -> str:
        return f"{self.origin}/mcp"

    @property
    def database(self) -> URL:
        return database_url(self.settings.get("DATABASE_URL"), Path(self.settings["DATA_DIR"]))


def new_host(folder: Path, **settings: str) -> Host:
    """A place for a server; nothing runs there yet."""
    port = free_port()
    base = {"HOST": HOST, "PORT": str(port), "DATA_DIR": str(folder / "var"), "LLM_SAMPLING": "24"}
    return Host(port, folder, {**base, **settings})


def in_database(url: URL) -> dict[str, str]:
    """The setting that names a database of the fixture `database`."""
    return {"DATABASE_URL": url.render_as_string(hide_password=False)}


@asynccontextmanager
async def started(host: Host, *arguments: str) -> AsyncIterator[Server]:
    """`python -m app serve ARGUMENTS` until the context ends. The event loop runs on while it starts and stops."""
    stack = ExitStack()
    command = ("-m", "app", "serve", *arguments)
    process = await asyncio.to_thread(stack.enter_context, serving(command, host.port, host.folder, host.settings))
    try:
        yield process
    finally:
        await asyncio.to_thread(stack.close)


def kill_all_of(server: Server) -> None:
    """SIGKILL the server and whatever it started: nobody gets to say goodbye."""
    family = [*psutil.Process(server.pid).children(recursive=True), psutil.Process(server.pid)]
    for member in family:
        member.kill()
    server.wait(PATIENCE)
    psutil.wait_procs(family, PATIENCE)


@asynccontextmanager
async def opened(host: Host) -> AsyncIterator[AsyncEngine]:
    """The server's database, with its schema."""
    engine = open_engine(host.database)
    try:
        await upgrade(engine)
        yield engine
    finally:
        await engine.dispose()


async def key_for(host: Host) -> str:
    """A key with every scope, of a new account."""
    user = User(str(uuid4()), f"{uuid4().hex}@example.com", datetime.now(UTC))
    async with opened(host) as engine:
        store = AccountStore(engine)
        await store.add_user(user)
        made = await create_key(store, user, name="journey", scopes=ALL, lifetime=None, now=user.created_at)
    return made.secret


async def legacy_key_for(host: Host) -> str:
    """A key of the older form, which nobody makes any more, stored as it would have been."""
    secret = f"aox_{token_hex(24)}"
    stored = {"prefix": secret[:PREFIX_LENGTH], "last4": secret[-SUFFIX_LENGTH:], "digest": digest(secret)}
    made = digest(await key_for(host))
    async with opened(host) as engine, engine.begin() as connection:
        await connection.execute(update(api_keys).where(api_keys.c.digest == made).values(**stored))
    return secret


def api(host: Host, key: str) -> httpx2.AsyncClient:
    """A client of the embedded API, with the same key."""
    headers = {"authorization": f"Bearer {key}"}
    return httpx2.AsyncClient(base_url=f"{host.origin}/api/v1", headers=headers, timeout=PATIENCE, trust_env=False)


async def followed(client: PythonClient, spark_id: str) -> list[dict[str, Any]]:
    """What each look at a training tells, until it is over, well or not."""
    looks: list[dict[str, Any]] = []
    for _ in range(ATTEMPTS):
        looks.append(await client.call("check_ai_persona_training_progress", {"sparkId": spark_id}))
        if looks[-1]["status"] in {"completed", "failed"}:
            return looks
        await asyncio.sleep(PAUSE)
    raise AssertionError("the training did not end")
