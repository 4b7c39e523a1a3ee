"""Keys of the real internal API: what an address that guesses can make this gateway ask."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

import httpx2
import pytest

from app.composition import Parts
from app.key_checks import BoundedKeys, NotAsked, TooManyChecks
from mcp_server.audit.entries import Origin, current_origin
from mcp_server.limits.rules import Limits, RateRules
from mcp_server.limits.windows import InMemorySlidingWindow
from oauth.errors import StoreUnavailable
from oauth.models import Verified
from oauth.primitives.scopes import ALL
from tests.edge import Edge, Stage, running, settings_for, toolset

PER_MINUTE = 5
RIGHT, NEW = f"minds_{1:048x}", f"minds_{2:048x}"
ADA = Verified("ada", ALL, client_id="key:1")
HERE, THERE = "192.0.2.1", "198.51.100.1"


def wrong_key(number: int) -> str:
    return f"minds_{number + 1000:048x}"


class Upstream:
    """Knows two keys; says `refusal` to all others."""

    def __init__(self, refusal: int = 401) -> None:
        self.asked: list[str] = []
        self.refusal = refusal

    def __call__(self, request: httpx2.Request) -> httpx2.Response:
        key = request.headers["authorization"].removeprefix("Bearer ")
        self.asked.append(key)
        known = key in {RIGHT, NEW}
        return httpx2.Response(200, json={"id": "ada"}) if known else httpx2.Response(self.refusal, json={})


@asynccontextmanager
async def gateway(folder: Path, upstream: Upstream) -> AsyncIterator[Edge]:
    settings = settings_for(
        folder, mindsai_api_url="https://api.example", rate_limit_anonymous=f"{PER_MINUTE}/minute", upstream_retries=0
    )
    parts = Parts(toolsets=[toolset(Stage())], transport=httpx2.MockTransport(upstream))
    async with running(settings, parts) as edge:
        yield edge


@pytest.mark.security("RL-07", "AK-10")
@pytest.mark.parametrize("refusal", [401, 404, 429])
async def test_a_flood_of_wrong_keys_is_not_sent_on(tmp_path: Path, refusal: int) -> None:
    upstream = Upstream(refusal)
    async with gateway(tmp_path, upstream) as edge:
        before = (await edge.rpc("tools/list", key=RIGHT)).status_code
        flood = [(await edge.rpc("tools/list", key=wrong_key(number))) for number in range(30)]
        remembered = (await edge.rpc("tools/list", key=RIGHT)).status_code
        new = await edge.rpc("tools/list", key=NEW)

    assert (before, remembered) == (200, 200)
    assert [key for key in upstream.asked if key != RIGHT] == [wrong_key(number) for number in range(PER_MINUTE)]
    assert {answer.status_code for answer in flood[PER_MINUTE:]} == {429}
    assert new.status_code == 429
    assert 1 <= int(new.headers["retry-after"]) <= 60


@contextmanager
def coming_from(address: str) -> Iterator[None]:
    token = current_origin.set(Origin("", address))
    try:
        yield
    finally:
        current_origin.reset(token)


class Slow:
    """Answers about no wrong key before it is told to; about others it is quick."""

    def __init__(self) -> None:
        self.asked = 0
        self.told = asyncio.Event()

    async def check(self, key: str) -> Verified | None:
        if key == NEW:
            return ADA
        self.asked += 1
        await self.told.wait()
        return None


def limits() -> Limits:
    rules = RateRules(f"{PER_MINUTE}/minute", "9/minute", "", {})
    return Limits(InMemorySlidingWindow().hit, rules)


@pytest.mark.security("AK-10")
async def test_guesses_at_once_are_bounded_and_take_nothing_of_another_address() -> None:
    slow = Slow()
    keys = BoundedKeys(slow, limits())
    with coming_from(HERE):
        guesses = [asyncio.create_task(keys.check(wrong_key(number))) for number in range(3 * PER_MINUTE)]
    refused, _ = await asyncio.wait(guesses, return_when=asyncio.FIRST_COMPLETED)
    with coming_from(THERE):
        assert await keys.check(NEW) == ADA
    slow.told.set()
    ended = await asyncio.gather(*guesses, return_exceptions=True)

    assert refused
    assert slow.asked == PER_MINUTE
    assert sum(isinstance(end, TooManyChecks) for end in ended) == 2 * PER_MINUTE


async def test_an_api_that_was_not_asked_counts_for_nothing() -> None:
    class Failing:
        fault: StoreUnavailable = NotAsked(9)

        async def check(self, _key: str) -> Verified | None:
            raise self.fault

    failing = Failing()
    keys = BoundedKeys(failing, limits())
    for fault, then in ((NotAsked(9), NotAsked), (StoreUnavailable("404"), TooManyChecks)):
        failing.fault = fault
        for _ in range(PER_MINUTE):
            with coming_from(HERE), pytest.raises(StoreUnavailable):
                await keys.check(NEW)
        with coming_from(HERE), pytest.raises(then) as ended:
            await keys.check(NEW)
        assert ended.type is then
