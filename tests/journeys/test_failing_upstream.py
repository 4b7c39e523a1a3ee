"""The internal API begins to fail under load, each way that a live socket can: it is left alone, and found again."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any
from uuid import uuid4

import httpx2
import pytest

from app.composition import Parts
from tests.edge import LEGACY, MODERN, Edge, running, settings_for, within
from tests.journeys.test_bad_upstream import JSON, KEY, LISTED, LISTING, MIND, WELL, answer, never, reset
from tests.loopback import Loopback, Reply, reply, say, serving

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n"
SECONDS, RESET = 4.0, 1.0
"""The first is for the calls that go well, too: on a busy machine a dozen at once have taken two seconds."""
MANY = 12


async def drip(writer: asyncio.StreamWriter) -> None:
    """A byte at a time: never silent for long, and never at its end."""
    writer.write(HEAD + b'{"data":[')
    while True:
        writer.write(b" ")
        await writer.drain()
        await asyncio.wait([asyncio.create_task(asyncio.Event().wait())], timeout=SECONDS / 10)


@dataclass
class World:
    """The gateway in one process, and behind it a server that answers the listing as the test says."""

    edge: Edge
    upstream: Loopback
    script: Reply = field(default=WELL[LISTED])

    async def list(self, key: str = KEY, era: str = LEGACY) -> httpx2.Response:
        response: httpx2.Response = await within(self.edge.call("list_my_ai_personas", key=key, era=era))
        return response

    async def breakers(self) -> dict[str, Any]:
        report = (await self.edge.client.get("/mcp")).json()
        told: dict[str, Any] = report["components"]["internalApi"]["breakers"]
        return told

    async def state(self) -> str:
        state: str = (await self.breakers())["default"]["state"]
        return state

    @property
    def asked(self) -> int:
        return sum(head.startswith(f"GET {LISTED} ") for head in self.upstream.heads)


@asynccontextmanager
async def world(folder: Path, more: Mapping[str, Reply] = MappingProxyType({}), **values: Any) -> AsyncIterator[World]:
    built: list[World] = []

    async def listing(writer: asyncio.StreamWriter) -> None:
        await say(built[0].script, writer)

    routes: dict[str, Reply] = {
        **{path: WELL[path] for path in ("/api/v1/auth/me", "/api/v1/openapi.json")},
        LISTED: listing,
        **more,
    }
    async with serving(routes) as upstream:
        chosen = {"mindsai_api_url": upstream.origin, "rate_limit_enabled": False, "breaker_reset_seconds": RESET}
        async with running(settings_for(folder, **chosen, **values), Parts()) as edge:
            built.append(World(edge, upstream))
            yield built[0]


def told(response: httpx2.Response) -> str | None:
    code: str | None = response.json().get("error", {}).get("data", {}).get("code")
    return code


FAILING: dict[str, tuple[Reply, str]] = {
    "hangs": (never, "TIMEOUT"),
    "500": (reply("500 No", b"{}", **JSON), "SERVICE_UNAVAILABLE"),
    "503": (reply("503 No", b"{}", **JSON), "SERVICE_UNAVAILABLE"),
    "reset in a body": (reset, "SERVICE_UNAVAILABLE"),
    "drips": (drip, "TIMEOUT"),
}


@pytest.mark.security("FI-12")
@pytest.mark.parametrize("way", FAILING)
async def test_an_upstream_that_fails_under_load_is_left_alone_after_five_faults_and_found_again(
    tmp_path: Path, way: str
) -> None:
    script, code = FAILING[way]
    async with world(tmp_path, timeout_default=SECONDS if code == "TIMEOUT" else 30) as here:
        assert told(await here.list()) is None

        here.script = script
        before = here.asked
        load = await asyncio.gather(*(here.list() for _ in range(MANY)))
        assert {told(answer) for answer in load} <= {code, "CIRCUIT_BREAKER_OPEN"}
        assert before + 5 <= here.asked <= before + MANY + 5  # what had left was let go; nothing is repeated after it

        await here.list()  # a probe, if a busy machine took longer than the wait to answer the last of them
        asked = here.asked
        for era, code_of_era in ((LEGACY, -32008), (MODERN, 503)):
            refused = await here.list(era=era)
            error = refused.json()["error"]
            assert (refused.status_code, error["code"]) == (503, code_of_era)
            assert error["data"] == {"code": "CIRCUIT_BREAKER_OPEN", "retryAfter": 1}
            assert refused.headers["retry-after"] == "1"
        others = await here.edge.call("check_ai_persona_training_progress", {"sparkId": str(uuid4())}, key=KEY)
        assert others.json()["result"]["structuredContent"]["error"]["code"] == "not_found"

        await until_probed(here)
        assert [told(await here.list()) for _ in range(2)] == [code, "CIRCUIT_BREAKER_OPEN"]
        assert (here.asked, await here.state()) == (asked + 1, "open")

        await until_probed(here)
        for expected in ("half-open", "closed"):
            assert await probed(here) == [200] + [503] * (MANY - 1)
            assert await here.state() == expected
        assert here.asked == asked + 3
        here.script = WELL[LISTED]
        assert {told(answer) for answer in await asyncio.gather(*(here.list() for _ in range(MANY)))} == {None}


@pytest.mark.parametrize("way", ["503", "reset in a body"])
async def test_the_tries_again_are_among_the_five_requests_that_leave(tmp_path: Path, way: str) -> None:
    async with world(tmp_path) as here:
        here.script, code = FAILING[way]

        answers = [told(await here.list()) for _ in range(5)]

        assert answers == [code] * 3 + ["CIRCUIT_BREAKER_OPEN"] * 2
        assert here.asked == 5  # 2 and 2 for the first two calls; the third opened it, and was not repeated


async def test_a_persona_whose_state_is_an_error_each_time_keeps_nobody_elses_key_from_being_checked(
    tmp_path: Path,
) -> None:
    broken = {f"/api/v1/minds/{MIND}{part}": FAILING["500"][0] for part in ("", "/training", "/knowledge")}
    async with world(tmp_path, broken) as here:
        for _ in range(6):
            polled = await here.edge.call("check_ai_persona_training_progress", {"sparkId": MIND}, key=KEY)
        assert told(polled) == "CIRCUIT_BREAKER_OPEN"

        assert told(await here.list("minds_" + "b" * 48)) is None
        open_ones = {name for name, breaker in (await here.breakers()).items() if breaker["state"] != "closed"}
        assert open_ones == {"polling"}


async def probed(here: World) -> list[int]:
    """The statuses of calls of which the first is answered when all others are: else it would let them in as well."""
    release = asyncio.Event()

    async def held(writer: asyncio.StreamWriter) -> None:
        await release.wait()
        writer.write(answer("200 OK", LISTING))
        await writer.drain()

    here.script = held
    waiting = calls = {asyncio.create_task(here.list()) for _ in range(MANY)}
    while len(waiting) > 1:
        _, waiting = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
    release.set()
    return sorted(answer.status_code for answer in await asyncio.gather(*calls))


async def until_probed(here: World) -> None:
    """Until the breaker lets a probe in: a clock has no event."""
    while left := (await here.breakers())["default"]["retryAfter"]:  # noqa: ASYNC110  as above
        await asyncio.sleep(left)
