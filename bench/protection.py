"""What stands before each call of the internal API, by itself: microseconds for each part, and for all together."""

import asyncio
import time
from collections.abc import Awaitable, Callable

import httpx2

from mcp_server.settings import McpSettings
from mcp_server.upstream.client import Upstream
from mcp_server.upstream.deadline import deadline_timeout
from mcp_server.upstream.failure_mapping import Verdict

CALLS = 20_000
ROUNDS = 5
SECONDS = 30.0


def measure(calls: int = CALLS) -> dict[str, float]:
    """The best of some rounds: what else the machine does can only add to it."""
    return asyncio.run(_measure(calls))


def table(microseconds: dict[str, float]) -> str:
    return "\n".join(f"{name:<24} {each:>8.1f} µs a call" for name, each in microseconds.items())


async def _measure(calls: int) -> dict[str, float]:
    async def answer(_request: httpx2.Request) -> httpx2.Response:
        return httpx2.Response(200)

    network = httpx2.MockTransport(answer)
    upstream = Upstream(network, "bench.test", McpSettings(_env_file=None))
    breaker, request = upstream.breakers["default"], httpx2.Request("GET", "http://bench.test/")

    async def guarded() -> None:
        breaker.settle(breaker.admit(), Verdict.OK)

    async def placed() -> None:
        upstream.bulkhead.take("somebody", "default")
        upstream.bulkhead.leave("somebody", "default")

    async def timed() -> None:
        async with deadline_timeout(SECONDS):
            pass

    async def together() -> None:
        await upstream.transport.handle_async_request(request)

    async def alone() -> None:
        await network.handle_async_request(request)

    parts: dict[str, Callable[[], Awaitable[None]]] = {"breaker": guarded, "bulkhead": placed, "deadline": timed}
    found = {name: await _best(part, calls) for name, part in parts.items()}
    found["all three"] = await _best(together, calls) - await _best(alone, calls)  # with retry and tracing
    return {name: round(each, 2) for name, each in found.items()}


async def _best(part: Callable[[], Awaitable[None]], calls: int) -> float:
    rounds = []
    for _ in range(ROUNDS):
        began = time.perf_counter()
        for _ in range(calls):
            await part()
        rounds.append((time.perf_counter() - began) / calls * 1e6)
    return min(rounds)
