"""The internal API dies under load: calls are refused at once, the others go on, and one probe at a time closes it."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import ExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx2
import pytest

from app.factory import Parts
from tests.edge import ERAS, LEGACY, Edge, running, settings_for, within
from tests.processes import free_port, serving, stop

KEY = "minds_" + "a" * 48
CODES = {ERAS[0]: -32008, ERAS[1]: 503}
LISTING, TRAINING = "list_my_ai_personas", "check_ai_persona_training_progress"
RESET = 1.0
MANY = 40


@dataclass
class World:
    """The gateway, and the process behind it."""

    edge: Edge
    folder: Path
    port: int
    life: ExitStack = field(default_factory=ExitStack)
    process: Any = None

    def start(self) -> None:
        arguments = ("-m", "tests.journeys.dying", "--port", str(self.port))
        self.process = self.life.enter_context(serving(arguments, self.port, self.folder, {}, ready="/seen"))

    def kill(self) -> None:
        self.process.kill()
        self.process.wait(10)

    async def list(self, era: str = LEGACY) -> httpx2.Response:
        return await self.edge.call(LISTING, key=KEY, era=era)

    async def look(self, era: str = LEGACY) -> httpx2.Response:
        return await self.edge.call(TRAINING, {"sparkId": str(uuid4())}, key=KEY, era=era)

    async def breaker(self, operation: str) -> dict[str, Any]:
        report = (await self.edge.client.get("/mcp")).json()
        told: dict[str, Any] = report["components"]["internalApi"]["breakers"][operation]
        return told

    async def seen(self) -> dict[str, int]:
        async with httpx2.AsyncClient() as client:
            told: dict[str, int] = (await client.get(f"http://127.0.0.1:{self.port}/seen")).json()
            return told


@asynccontextmanager
async def world(folder: Path, reset: float) -> AsyncIterator[World]:
    port = free_port()
    settings = settings_for(
        folder / "gateway",
        mindsai_api_url=f"http://127.0.0.1:{port}",
        breaker_reset_seconds=reset,
        upstream_retries=0,
        rate_limit_enabled=False,
    )
    async with running(settings, Parts()) as edge:
        built = World(edge, folder, port)
        with built.life:
            await asyncio.to_thread(built.start)
            yield built
            await asyncio.to_thread(stop, built.process)


def code_of(response: httpx2.Response) -> str | None:
    told = response.json()
    data = told.get("error", {}).get("data", {})
    code: str | None = data.get("code")
    return code


@pytest.mark.security("FI-12")
@pytest.mark.requirement("seed:gateway:breaker-refuses")
async def test_an_upstream_that_dies_under_load_is_left_alone_and_found_again(tmp_path: Path) -> None:
    async with world(tmp_path, RESET) as here:
        assert (await here.list()).status_code == 200

        load = [asyncio.create_task(here.list()) for _ in range(MANY)]
        await within(asyncio.wait(load, return_when=asyncio.FIRST_COMPLETED))
        await asyncio.to_thread(here.kill)
        answers = await within(asyncio.gather(*load))
        assert {code_of(answer) for answer in answers} <= {None, "SERVICE_UNAVAILABLE", "CIRCUIT_BREAKER_OPEN"}

        told = [code_of(await here.list()) for _ in range(5)]
        assert set(told) <= {"SERVICE_UNAVAILABLE", "CIRCUIT_BREAKER_OPEN"}
        for era in ERAS:  # both eras, without asking, and with the time to come back
            refusal = await here.list(era)
            error = refusal.json()["error"]
            assert (refusal.status_code, error["code"]) == (503, CODES[era])
            assert error["data"] == {"code": "CIRCUIT_BREAKER_OPEN", "retryAfter": 1}
            assert refusal.headers["retry-after"] == "1"

        # What does not need that operation goes on, and another operation is judged by itself.
        assert (await here.edge.rpc("tools/list", key=KEY)).status_code == 200
        assert (await here.breaker("polling"))["state"] == "closed"
        assert code_of(await here.look()) == "SERVICE_UNAVAILABLE"

        here.life.close()
        await asyncio.to_thread(here.start)
        while (await here.breaker("default"))["retryAfter"]:  # noqa: ASYNC110  a clock has no event
            await asyncio.sleep(0.01)
        for expected in ("half-open", "closed"):
            probes = await within(asyncio.gather(*(here.list() for _ in range(MANY))))
            assert sorted(answer.status_code for answer in probes) == [200] + [503] * (MANY - 1)
            assert (await here.breaker("default"))["state"] == expected
        assert await here.seen() == {"asked": 2, "most": 1}

        after = await within(asyncio.gather(*(here.list() for _ in range(MANY))))
        assert {answer.status_code for answer in after} == {200}


async def test_an_open_breaker_refuses_at_once_without_asking(tmp_path: Path) -> None:
    async with world(tmp_path, 60) as here:
        assert (await here.list()).status_code == 200
        await asyncio.to_thread(here.kill)
        for _ in range(5):
            assert code_of(await here.list()) == "SERVICE_UNAVAILABLE"

        began = time.monotonic()
        refused = [await here.list() for _ in range(200)]
        took = time.monotonic() - began

        assert {code_of(answer) for answer in refused} == {"CIRCUIT_BREAKER_OPEN"}
        assert took / len(refused) < 0.1  # a dead network would take seconds each
        assert (await here.breaker("default"))["retryAfter"] > 0


async def test_a_storm_of_404s_opens_nothing(tmp_path: Path) -> None:
    async with world(tmp_path, 60) as here:
        for _ in range(6):
            answers = await within(asyncio.gather(*(here.look() for _ in range(MANY // 2))))
            assert {answer.json()["result"]["structuredContent"]["error"]["code"] for answer in answers} == {
                "not_found"
            }

        report = (await here.edge.client.get("/mcp")).json()
        assert report["status"] == "ok"
