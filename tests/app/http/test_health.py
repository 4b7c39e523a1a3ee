"""What operators are told: alive, ready, and how the parts are."""

import contextlib
import socket
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
from sqlalchemy import event, text
from sqlalchemy.exc import OperationalError
from sqlalchemy.ext.asyncio import AsyncEngine
from starlette.applications import Starlette
from starlette.routing import Route

from app.composition import Composition, Parts
from app.http import health
from app.http.health import Health, language_model
from app.internal_api.engines.chat.endpoint import ChatEndpoint
from app.internal_api.engines.chat.engine import LanguageModelEngine
from app.internal_api.engines.engine import EngineUnavailable
from app.internal_api.engines.extractive.engine import ExtractiveEngine
from app.metrics.metrics import Metrics
from app.process.shutdown import Drain
from app.storage.engine import database_url, open_engine
from mcp_server.audit.recorder import Recorder
from mcp_server.minds_api.operations import Operation
from mcp_server.upstream.failure_mapping import Verdict
from tests.app.internal_api.engines.chat_server import chat_server, says
from tests.edge import Edge, settings_for, within


async def test_the_process_is_alive_and_ready(edge: Edge) -> None:
    alive, ready = await edge.client.get("/livez"), await edge.client.get("/readyz")

    assert (alive.status_code, alive.json()["status"]) == (200, "alive")
    assert (ready.status_code, ready.json()["status"]) == (200, "ready")
    assert alive.headers["cache-control"] == ready.headers["cache-control"] == "no-store"


async def test_the_report_names_version_uptime_parts_and_calls(edge: Edge) -> None:
    await edge.call("say")
    await edge.call("fail")

    report = (await edge.client.get("/mcp")).json()

    assert report["status"] == "ok"
    assert report["version"][0].isdigit()
    assert report["uptime"] >= 0
    assert report["components"]["store"] == {"status": "ok", "kind": "sqlite"}
    assert set(report["components"]["internalApi"]["breakers"]) == {operation.value for operation in Operation}
    assert report["metrics"]["toolCalls"] >= 2
    assert report["metrics"]["toolFailures"] >= 1


async def test_a_full_disk_is_not_ready_until_something_can_be_written_again(tmp_path: Path) -> None:
    engine, refused = open_engine(database_url(None, tmp_path)), True

    @event.listens_for(engine.sync_engine, "before_cursor_execute")
    def full(_connection: Any, _cursor: Any, statement: str, *_more: Any) -> None:
        if refused and statement.startswith(("CREATE", "PRAGMA user")):
            raise sqlite3.OperationalError("database or disk is full")

    async with asked(engine, tmp_path) as client:
        statuses = [(await client.get("/readyz")).status_code]
        with contextlib.suppress(OperationalError):
            async with engine.begin() as connection:
                await connection.execute(text("CREATE TABLE seen (id INTEGER)"))
        statuses.append((await client.get("/readyz")).status_code)
        refused = False
        statuses.append((await client.get("/readyz")).status_code)
    await engine.dispose()

    assert statuses == [200, 503, 200]


@pytest.fixture
def silent() -> Iterator[socket.socket]:
    """A server that takes connections and says nothing."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        listener.settimeout(0.2)
        yield listener


def asked(engine: AsyncEngine, folder: Path) -> httpx2.AsyncClient:
    parts = Composition(settings_for(folder), Parts(toolsets=[]))
    checked = Health(engine, parts.runtime, Metrics(), Recorder(), limiting=parts.limiting)
    routes = [Route("/mcp", checked.mcp), Route("/readyz", checked.ready), Route("/livez", checked.live)]
    return httpx2.AsyncClient(transport=httpx2.ASGITransport(Starlette(routes=routes)), base_url="http://a")


@pytest.mark.parametrize("url", ["postgresql://ada:hunter2@127.0.0.1:{port}/minds", "postgresql://ada@127.0.0.1:1/x"])
async def test_a_database_that_is_gone_or_silent_is_not_ready_and_not_waited_for(
    tmp_path: Path, silent: socket.socket, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(health, "STORE_SECONDS", 0.2)
    engine = open_engine(database_url(url.format(port=silent.getsockname()[1]), tmp_path))

    async with asked(engine, tmp_path) as client:
        ready, alive, report = [await within(client.get(path)) for path in ("/readyz", "/livez", "/mcp")]
    await engine.dispose()

    assert (ready.status_code, alive.status_code, report.status_code) == (503, 200, 200)
    assert report.json()["status"] == "degraded"
    assert report.json()["components"]["store"]["status"] == "down"
    assert int(ready.headers["retry-after"]) > 0
    assert "hunter2" not in ready.text + report.text


async def test_a_question_that_hangs_is_not_asked_again(
    tmp_path: Path, silent: socket.socket, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(health, "STORE_SECONDS", 0.2)
    engine = open_engine(database_url(f"postgresql://ada@127.0.0.1:{silent.getsockname()[1]}/minds", tmp_path))

    async with asked(engine, tmp_path) as client:
        answers = [await within(client.get("/readyz")) for _ in range(3)]
    connection, _ = silent.accept()
    with pytest.raises(TimeoutError):
        silent.accept()
    connection.close()
    await engine.dispose()

    assert [answer.status_code for answer in answers] == [503, 503, 503]


async def test_the_report_says_open_half_open_and_closed_and_no_wait_only_where_a_call_is_let_in(
    tmp_path: Path,
) -> None:
    composition = Composition(settings_for(tmp_path, breaker_failures=1, breaker_reset_seconds=1), Parts(toolsets=[]))
    breaker = composition.runtime.api.breakers[Operation.CHAT]

    async def told() -> dict[str, Any]:
        chat: dict[str, Any] = (await composition.health.report())["components"]["internalApi"]["breakers"]["chat"]
        return chat

    breaker.settle(breaker.admit(), Verdict.FAULT)
    assert (await composition.health.report())["status"] == "degraded"
    seen = [await told()]
    while seen[-1]["retryAfter"]:
        assert seen[-1]["state"] == "open"
        seen.append(await told())
    for state in ("half-open", "closed"):
        breaker.settle(breaker.admit(), Verdict.OK)
        assert await told() == {"state": state, "retryAfter": 0}
    await composition.engine.dispose()

    assert seen[-1] == {"state": "open", "retryAfter": 0}  # nobody has tried yet
    assert min(each["retryAfter"] for each in seen[:-1]) >= 0.1


async def test_a_language_model_that_nobody_has_asked_is_not_called_well() -> None:
    async with chat_server(says("Yes.")) as server:
        engine = LanguageModelEngine(ChatEndpoint(server.settings()), "m")
        before = language_model(engine)["status"]
        await engine.check()

    assert (before, language_model(engine)["status"]) == ("not asked yet", "ok")


def test_a_language_model_that_failed_is_named_with_its_host() -> None:
    engine = ExtractiveEngine()
    assert language_model(engine) == language_model(None) == {}

    class Away(ExtractiveEngine):
        host, failure = "llm.example", EngineUnavailable("", retryable=False, kind="refused_key", status=401)

    Away.failure.host = Away.host
    told = language_model(Away())
    assert (told["status"], told["host"]) == ("failing", "llm.example")
    assert all(part in told["reason"] for part in ("401", "LLM_API_KEY"))


async def test_a_process_that_is_ending_is_alive_and_not_ready(tmp_path: Path) -> None:
    drain = Drain()
    composition = Composition(settings_for(tmp_path), Parts(toolsets=[], drain=drain))
    routes = [Route("/readyz", composition.health.ready), Route("/livez", composition.health.live)]
    transport = httpx2.ASGITransport(Starlette(routes=routes))

    async with httpx2.AsyncClient(transport=transport, base_url="http://a") as client:
        before = (await client.get("/readyz")).status_code
        drain.begun = True
        after = [(await client.get(path)).status_code for path in ("/readyz", "/livez")]
    await composition.engine.dispose()

    assert (before, after) == (200, [503, 200])
