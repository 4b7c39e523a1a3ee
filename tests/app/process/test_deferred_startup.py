"""A process whose database does not answer yet is alive, not ready, and open as soon as it does (FI-01)."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2
import psycopg
import pytest
from sqlalchemy.exc import OperationalError
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from structlog.testing import capture_logs

from app.composition import Composition, Parts
from app.factory import create_app, middleware_of
from app.http.admission import McpRoute
from app.process.deferred_startup import DeferredStartup
from app.process.server import OPEN
from app.settings import Settings
from tests.edge import settings_for, within

SITE = "http://127.0.0.1:8000"
GONE = OperationalError(None, None, psycopg.OperationalError("connection failed: Connection refused"))
WRONG = OperationalError(None, None, psycopg.OperationalError("FATAL:  password authentication failed for user ada"))


@dataclass
class Scene:
    """An application whose database says what a test wants, and what a server would say to it."""

    settings: Settings
    faults: list[Exception] = field(default_factory=list)
    asked: asyncio.Event = field(default_factory=asyncio.Event)
    mended: asyncio.Event = field(default_factory=asyncio.Event)
    ended: asyncio.Event = field(default_factory=asyncio.Event)
    happened: list[str] = field(default_factory=list)
    told: asyncio.Queue[Any] = field(default_factory=asyncio.Queue)
    orders: asyncio.Queue[dict[str, Any]] = field(default_factory=asyncio.Queue)
    state: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        middleware = middleware_of(Composition(self.settings, Parts()))[:-1]  # all but that of `/mcp`
        app = Starlette(
            routes=[Route("/", lambda _: PlainTextResponse("here"))], middleware=middleware, lifespan=self._lifespan
        )
        shown = "postgresql://ada:***@db/minds"
        self.app = DeferredStartup(app, self._prepare, database=shown, again=0.01, end=self.ended.set)
        self.client = httpx2.AsyncClient(transport=httpx2.ASGITransport(self.app), base_url=SITE)

    @asynccontextmanager
    async def _lifespan(self, _app: Starlette) -> AsyncIterator[None]:
        self.happened.append("opened")
        yield
        self.happened.append("closed")

    async def _prepare(self) -> None:
        if self.faults and not self.mended.is_set():
            self.asked.set()
            raise self.faults[0]

    async def status(self, path: str) -> int:
        return (await self.client.get(path)).status_code

    @asynccontextmanager
    async def started(self) -> AsyncIterator[str]:
        """From what the server is told at the start until the application has ended."""
        await self.orders.put({"type": "lifespan.startup"})
        scope = {"type": "lifespan", "state": self.state}
        lifespan = asyncio.ensure_future(self.app(scope, self.orders.get, self.told.put))
        yield (await within(self.told.get()))["type"]
        await self.orders.put({"type": "lifespan.shutdown"})
        await within(asyncio.wait([lifespan]))


@pytest.fixture
async def scene(tmp_path: Path) -> Scene:
    return Scene(settings_for(tmp_path))


async def test_with_its_database_there_it_is_open_before_the_port_is(scene: Scene) -> None:
    async with scene.started() as told:
        answer = await scene.client.get("/")

    assert (told, answer.text, scene.state[OPEN]) == ("lifespan.startup.complete", "here", True)
    assert scene.happened == ["opened", "closed"]
    assert (await within(scene.told.get()))["type"] == "lifespan.shutdown.complete"


@pytest.mark.security("FI-01")
async def test_without_its_database_it_is_alive_and_not_ready_and_opens_by_itself(scene: Scene) -> None:
    scene.faults = [GONE]

    async with scene.started() as told:
        waiting = [await scene.status(path) for path in ("/livez", "/readyz", "/mcp", "/")]
        page = await scene.client.get("/oauth/token")
        opened_early = [*scene.happened, *filter(None, [scene.state[OPEN]])]
        scene.mended.set()
        async with asyncio.timeout(20):
            while await scene.status("/") != 200:  # noqa: ASYNC110  the application opens by itself
                await asyncio.sleep(0.01)

    assert told == "lifespan.startup.complete"
    assert (waiting, opened_early, scene.state[OPEN]) == ([200, 503, 503, 503], [], True)
    assert page.json()["error"] == "temporarily_unavailable"
    assert int(page.headers["retry-after"]) > 0
    assert scene.happened == ["opened", "closed"]


async def test_a_database_that_is_away_is_named_once_without_its_password_until_the_end(scene: Scene) -> None:
    scene.faults = [GONE]

    with capture_logs() as lines:
        async with scene.started():
            for _ in range(5):
                scene.asked.clear()
                await within(scene.asked.wait())

    (line,) = lines
    assert "DATABASE_URL: postgresql://ada:***@db/minds" in line["reason"]
    assert "Connection refused" in line["reason"]
    assert scene.happened == []
    assert (await within(scene.told.get()))["type"] == "lifespan.shutdown.complete"


async def test_what_waiting_does_not_mend_ends_the_start_with_its_reason(scene: Scene) -> None:
    scene.faults = [WRONG]
    await scene.orders.put({"type": "lifespan.startup"})

    with pytest.raises(OperationalError):
        await scene.app({"type": "lifespan"}, scene.orders.get, scene.told.put)

    told = await within(scene.told.get())
    assert told["type"] == "lifespan.startup.failed"
    assert "password authentication" in told["message"]
    assert scene.happened == []


async def test_a_database_that_comes_and_is_the_wrong_one_ends_the_process(scene: Scene) -> None:
    scene.faults = [GONE]

    async with scene.started():
        await within(scene.asked.wait())
        scene.faults[0] = WRONG
        await within(scene.ended.wait())

    assert scene.happened == []


@pytest.mark.parametrize(("version", "code"), [(None, -32006), ("2025-11-25", -32006), ("2026-07-28", 503)])
async def test_a_call_that_comes_too_early_is_told_so_in_the_words_of_its_protocol(
    scene: Scene, version: str | None, code: int
) -> None:
    headers = {} if version is None else {"mcp-protocol-version": version}

    answer = await scene.client.post("/mcp", json={}, headers=headers)

    assert (answer.status_code, answer.json()["error"]["code"]) == (503, code)
    assert answer.json()["error"]["data"] == {"code": "SERVICE_UNAVAILABLE", "retryAfter": 2}
    assert answer.headers["retry-after"] == "2"


@pytest.mark.parametrize("method", ["GET", "POST"])
async def test_the_products_own_application_answers_no_call_before(tmp_path: Path, method: str) -> None:
    settings = settings_for(tmp_path)
    app = DeferredStartup(create_app(settings), Scene(settings)._prepare, without=McpRoute)

    async with httpx2.AsyncClient(transport=httpx2.ASGITransport(app), base_url=SITE) as client:
        answer = await client.request(method, "/mcp", headers={"host": SITE.removeprefix("http://")})

    assert (answer.status_code, answer.headers["retry-after"]) == (503, "2")


@pytest.mark.parametrize("path", ["/mcp", "/oauth/token", "/api/v1/minds", "/nothing", "/readyz"])
async def test_what_is_refused_too_early_has_the_headers_of_every_refusal(scene: Scene, path: str) -> None:
    answer = await scene.client.post(path, headers={"origin": SITE, "x-request-id": "find-me"})

    assert answer.status_code == 503
    assert answer.headers["x-request-id"] == "find-me"
    assert answer.headers["access-control-allow-origin"] == SITE
    assert answer.headers["x-content-type-options"] == "nosniff"


async def test_who_may_not_call_is_not_told_to_come_again(scene: Scene) -> None:
    foreign = await scene.client.post("/mcp", headers={"origin": "https://evil.example"})
    preflight = await scene.client.options("/mcp", headers={"origin": SITE, "access-control-request-method": "POST"})

    assert (foreign.status_code, preflight.status_code) == (403, 200)


async def test_a_person_who_comes_too_early_sees_a_page(scene: Scene) -> None:
    page = await scene.client.get("/account")

    assert (page.status_code, page.headers["content-type"]) == (503, "text/html; charset=utf-8")
    assert page.headers["retry-after"] == "2"
