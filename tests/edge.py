"""The whole gateway with tools of a test's own: in process or on a real port, spoken to in both eras."""

import asyncio
import socket
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Collection, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any, TypeVar
from uuid import uuid4

import httpx2
import mcp_types as types
import pytest
import uvicorn
from pydantic import BaseModel
from starlette.applications import Starlette
from starlette.types import ASGIApp

from app.commands.serve import http_options
from app.composition import Parts
from app.factory import create_app
from app.settings import Settings
from app.storage.engine import database_url, open_engine
from app.storage.migrate import bring_up_to_date, upgrade
from mcp_server import errors
from mcp_server.runtime import Runtime
from mcp_server.toolkit.signature import PROVIDED
from mcp_server.toolset import Progress, Tool, Toolset
from oauth.flows.api_keys import create_key
from oauth.models import User
from oauth.stores.accounts import AccountStore
from tests.processes import PLENTY

SITE = "http://127.0.0.1:8000"
LEGACY, MODERN = "2025-11-25", "2026-07-28"
ERAS = (LEGACY, MODERN)
READ = frozenset({"sparks:read"})
BOTH_TYPES = "application/json, text/event-stream"
PATIENCE = 20.0
"""Seconds that anything may take on a busy machine before a test gives up."""

PLENTY_HERE = {name.lower(): limit for name, limit in PLENTY.items()}

NAMED = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}
T = TypeVar("T")

REFUSALS: dict[str, Callable[[], errors.GatewayError]] = {
    "authentication": errors.AuthenticationRequired,
    "rate": lambda: errors.RateLimitExceeded(17),
    "missing": errors.ResourceNotFound,
    "permission": lambda: errors.PermissionDenied(scopes=["sparks:write"]),
    "timeout": errors.Timeout,
    "unavailable": errors.ServiceUnavailable,
    "breaker": lambda: errors.CircuitBreakerOpen(12.4),
}


class Said(BaseModel):
    """A result that is one sentence."""

    text: str

    def as_text(self) -> str:
        return self.text


@dataclass
class Stage:
    """What tests and tools tell each other, by a word that the call carries."""

    started: defaultdict[str, asyncio.Event] = field(default_factory=lambda: defaultdict(asyncio.Event))
    released: defaultdict[str, asyncio.Event] = field(default_factory=lambda: defaultdict(asyncio.Event))
    ended: defaultdict[str, asyncio.Future[str]] = field(default_factory=lambda: defaultdict(asyncio.Future))
    calls: list[str] = field(default_factory=list)


Reporting = Annotated[Progress, PROVIDED]
OnStage = Annotated[Stage, PROVIDED]


async def say(stage: OnStage, text: str = "hello") -> Said:
    """Say it back."""
    stage.calls.append(text)
    return Said(text=text)


async def private(stage: OnStage, text: str = "secret") -> Said:
    """Say it back to those who may read."""
    stage.calls.append(text)
    return Said(text=text)


async def share(text: str = "shared") -> Said:
    """Say it back to everyone but to keys that may not read."""
    return Said(text=text)


async def wait(stage: OnStage, word: str) -> Said:
    """Wait until the test says so."""
    stage.started[word].set()
    try:
        await stage.released[word].wait()
    except asyncio.CancelledError:
        stage.ended[word].set_result("cancelled")
        raise
    stage.ended[word].set_result("finished")
    return Said(text=word)


async def count(progress: Reporting, to: int = 3) -> Said:
    """Report each step."""
    for step in range(1, to + 1):
        await progress(step, to, f"step {step}")
    return Said(text=f"counted to {to}")


async def refuse(kind: str) -> Said:
    """Raise the refusal of that kind."""
    refusal = REFUSALS[kind]()
    raise refusal


async def fail() -> Said:
    """Fail in a way that the model can mend."""
    raise errors.NotFound("panel", "pricng", closest=["pricing"])


async def crash(text: str = "the-inside") -> Said:
    """Have a bug."""
    raise ZeroDivisionError(text)


async def stumble(progress: Reporting) -> Said:
    """Have a bug after a while."""
    await progress(1, 2, "so far so good")
    raise ZeroDivisionError("the-inside")


async def hurry() -> Said:
    """Take longer than it may."""
    await asyncio.Event().wait()
    return Said(text="never")


def tool(run: Any, **more: Any) -> Tool:
    """A tool for everyone, unless `more` says otherwise."""
    hints = types.ToolAnnotations(
        read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False
    )
    return Tool(**{"run": run, "title": run.__name__, "annotations": hints, "public": True, **more})


def toolset(stage: Stage) -> Toolset:
    """One tool for each way in which a call can go."""

    @asynccontextmanager
    async def on_stage(_runtime: Runtime) -> AsyncIterator[Stage]:
        yield stage

    tools = [tool(run) for run in (say, wait, count, refuse, fail, crash, stumble)]
    tools += [tool(hurry, timeout=0.05), tool(private, public=False, scopes=READ), tool(share, scopes=READ)]
    return Toolset("fixtures", tuple(tools), on_stage)


@dataclass
class Edge:
    """A running gateway, a client of it, and keys: one with every scope, one with none that `private` wants."""

    app: ASGIApp
    client: httpx2.AsyncClient
    stage: Stage
    key: str
    narrow_key: str

    async def rpc(
        self,
        method: str,
        params: Mapping[str, Any] | None = None,
        *,
        era: str = LEGACY,
        identity: Any = 1,
        key: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> httpx2.Response:
        """POST one request of `era`."""
        given, body = request(method, params, era=era, identity=identity, key=key)
        return await self.client.post("/mcp", headers={**given, **(headers or {})}, json=body)

    async def call(self, tool: str, arguments: Mapping[str, Any] | None = None, **more: Any) -> httpx2.Response:
        """`tools/call`; `token` asks for progress."""
        token = more.pop("token", None)
        meta = {"_meta": {"progressToken": token}} if token is not None else {}
        return await self.rpc("tools/call", {"name": tool, "arguments": dict(arguments or {}), **meta}, **more)

    async def post(self, body: bytes, **headers: str) -> httpx2.Response:
        """POST bytes as a 2025-era client would, unless a header says otherwise; `_` in a name stands for `-`."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        base = {"content-type": "application/json", "accept": BOTH_TYPES, "mcp-protocol-version": LEGACY}
        given = {name: value for name, value in {**base, **named}.items() if value}
        return await self.client.post("/mcp", headers=given, content=body)


def request(
    method: str,
    params: Mapping[str, Any] | None = None,
    *,
    era: str = LEGACY,
    identity: Any = 1,
    key: str | None = None,
) -> tuple[dict[str, str], dict[str, Any]]:
    """Headers and body of a request as `era` wants them; of a notification when `identity` is None."""
    headers = {"content-type": "application/json", "accept": BOTH_TYPES, "mcp-protocol-version": era}
    body: dict[str, Any] = {"jsonrpc": "2.0", "method": method}
    if identity is not None:
        body["id"] = identity
    if params is not None:
        body["params"] = dict(params)
    if key is not None:
        headers["authorization"] = f"Bearer {key}"
    if era >= MODERN:
        headers["mcp-method"] = method
        if method in NAMED:
            headers["mcp-name"] = body["params"][NAMED[method]]
        prefix = "io.modelcontextprotocol/"
        envelope = {f"{prefix}protocolVersion": era, f"{prefix}clientCapabilities": {}}
        given = body.setdefault("params", {})
        given["_meta"] = {**envelope, **given.get("_meta", {})}
    return headers, body


def messages(response: httpx2.Response) -> list[dict[str, Any]]:
    """What a response holds, whether it is JSON or a stream of events."""
    if response.headers["content-type"].startswith("application/json"):
        return [response.json()]
    frames = response.text.replace("\r\n", "\n").split("\n\n")
    data = [frame.partition("data: ")[2] for frame in frames if "data: " in frame]
    return [httpx2.Response(200, content=line).json() for line in data]


def refusal(response: httpx2.Response) -> tuple[int, int]:
    """The status of HTTP and the code of the protocol."""
    return response.status_code, response.json()["error"]["code"]


def settings_for(folder: Path, **more: Any) -> Settings:
    """Settings that look at no file and no variable of the developer's. Requests are counted, and never too many.

    Errors have the HTTP statuses of the table for all clients; `tests/app/http/test_error_status.py` has the default.
    """
    given = {"site_url": SITE, "data_dir": folder, "http_error_status": "always", **PLENTY_HERE, **more}
    return Settings(_env_file=None, **given)


@asynccontextmanager
async def running(settings: Settings, parts: Parts | None = None) -> AsyncIterator[Edge]:
    """The gateway in process, with the fixture tools unless `parts` says otherwise."""
    stage = Stage()
    key, narrow = await make_keys(settings)
    app = create_app(settings, parts or Parts(toolsets=[toolset(stage)]))
    transport = httpx2.ASGITransport(app, raise_app_exceptions=False)
    async with (
        lifespan(app),
        httpx2.AsyncClient(transport=transport, base_url=settings.site_url, timeout=PATIENCE) as client,
    ):
        yield Edge(app, client, stage, key, narrow)


@pytest.fixture(scope="module")
async def edge(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Edge]:
    """One gateway for all tests of a module: none of them leaves anything behind in it."""
    async with running(settings_for(tmp_path_factory.mktemp("edge"))) as edge:
        yield edge


@asynccontextmanager
async def lifespan(app: Starlette) -> AsyncIterator[None]:
    """Start and stop, as a server would, in one task from beginning to end."""
    async with app.router.lifespan_context(app):
        yield


@asynccontextmanager
async def listening(app: ASGIApp, settings: Settings, sock: socket.socket) -> AsyncIterator[None]:
    """uvicorn on `sock`, with the options of the product, in this event loop."""
    async with served(uvicorn.Config(app, lifespan="off", **http_options(settings)), sock):
        yield


@asynccontextmanager
async def served(config: uvicorn.Config, sock: socket.socket) -> AsyncIterator[None]:
    server = uvicorn.Server(config)
    serving = asyncio.create_task(server.serve(sockets=[sock]))
    try:
        async with asyncio.timeout(PATIENCE):
            while not server.started:  # noqa: ASYNC110  uvicorn sets a flag and no event
                await asyncio.sleep(0.01)
        yield
    finally:
        server.should_exit = True
        await serving


def free_socket() -> socket.socket:
    """A socket bound to a loopback port that nobody else has."""
    bound = socket.socket()
    bound.bind(("127.0.0.1", 0))
    return bound


@cache
def migrated_file() -> bytes:
    """A database of SQLite with the newest schema; to migrate is a quarter of the start of a gateway."""

    with TemporaryDirectory() as folder:
        url = database_url(None, Path(folder))
        asyncio.run(bring_up_to_date(url))
        return Path(str(url.database)).read_bytes()


def copy_schema(database: Path) -> None:
    """A file that is there already is left to be migrated, or to be found wrong."""
    database.parent.mkdir(parents=True, exist_ok=True)
    if not database.exists():
        database.touch(mode=0o600)
        database.write_bytes(migrated_file())


async def make_keys(settings: Settings, scopes: Collection[str] = READ) -> tuple[str, str]:
    """An account with two keys, in the database of `settings`; the second has only a scope that no tool here wants."""
    engine = open_engine(settings.database)
    if engine.dialect.name == "sqlite":
        await asyncio.to_thread(copy_schema, Path(str(settings.database.database)))
    settings.data_dir.mkdir(parents=True, exist_ok=True)
    await upgrade(engine)
    store, now = AccountStore(engine), datetime.now(UTC)
    user = User(str(uuid4()), f"{uuid4().hex}@example.com", now)
    await store.add_user(user)
    made = [
        await create_key(store, user, name="test", scopes=frozenset(held), lifetime=None, now=now)
        for held in (scopes, ("docs:read",))
    ]
    await engine.dispose()
    return made[0].secret, made[1].secret


async def within(awaitable: Any) -> Any:
    """The result, unless it takes longer than a busy machine needs."""
    async with asyncio.timeout(PATIENCE):
        return await awaitable
