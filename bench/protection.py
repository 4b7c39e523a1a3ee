"""What stands before each call of the internal API, by itself: microseconds for each part, and for all together."""

import asyncio
import time
from collections.abc import Awaitable, Callable

from mcp_server.settings import McpSettings
from mcp_server.upstream.deadline import Allowance
from mcp_server.upstream.failure_mapping import unheard
from mcp_server.upstream.protection import Operation, Protection

CALLS = 20_000
ROUNDS = 5
SECONDS = 30.0


def measure(calls: int = CALLS) -> dict[str, float]:
    """The best of some rounds: what else the machine does can only add to it."""
    return asyncio.run(_measure(calls))


def table(microseconds: dict[str, float]) -> str:
    return "\n".join(f"{name:<24} {each:>8.1f} µs a call" for name, each in microseconds.items())


async def _measure(calls: int) -> dict[str, float]:
    protection = Protection("bench.test", McpSettings(_env_file=None), unheard)
    breaker = protection.breakers[Operation.DEFAULT]

    async def guarded() -> None:
        async with breaker.guard():
            pass

    async def placed() -> None:
        async with protection.bulkhead.slot("somebody", Operation.DEFAULT.value):
            pass

    async def timed() -> None:
        async with Allowance(SECONDS):
            pass

    async def together() -> None:
        async with protection.slot(Operation.DEFAULT), protection.attempt(Operation.DEFAULT, SECONDS):
            pass

    parts: dict[str, Callable[[], Awaitable[None]]] = {
        "breaker": guarded,
        "bulkhead": placed,
        "deadline": timed,
        "all three": together,
    }
    return {name: round(await _best(part, calls), 2) for name, part in parts.items()}


async def _best(part: Callable[[], Awaitable[None]], calls: int) -> float:
    rounds = []
    for _ in range(ROUNDS):
        began = time.perf_counter()
        for _ in range(calls):
            await part()
        rounds.append((time.perf_counter() - began) / calls * 1e6)
    return min(rounds)
