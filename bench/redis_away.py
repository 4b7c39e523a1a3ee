"""What calls notice of a Redis that is frozen, killed, and back: their times, and that none is lost."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from bench.contestants import GATEWAY, running, upstream
from bench.measure import WARM_UP, Plan, one_round
from bench.wire import ERAS
from tests.redis import redis_server

ERA = ERAS[-1]
CONNECTIONS = 4
"""Few enough that nobody waits long for the processor: of sixteen, each would wait for fifteen others, Redis or not."""

ALLOWED_P99_MS = 50.0
"""What the slowest hundredth of the calls may take while Redis is away."""


@dataclass(frozen=True)
class Away:
    """One round of load while Redis was in this state. A call that failed would have ended the run."""

    redis: str
    clients: int
    calls: int
    p50_ms: float
    p99_ms: float


def measure(plan: Plan, folder: Path, tell: Any) -> list[Away]:
    """A round each: Redis well, from the moment that it freezes, well again, and from the moment that it is killed.

    Raises:
        Wrong: a call was lost.

    """
    plan = replace(plan, connections=min(plan.connections, CONNECTIONS))
    with upstream(folder) as api, redis_server() as redis:

        def settings(port: int, upstream: str) -> dict[str, str]:
            return {**GATEWAY.settings(port, upstream), "DATA_DIR": "redis-away", "REDIS_URL": redis.url}

        with running(replace(GATEWAY, name="gateway with Redis", settings=settings), api, folder) as server:
            one_round(server, ERA, replace(plan, seconds=WARM_UP))
            changes: dict[str, Callable[[], None]] = {
                "well": lambda: None,
                "frozen": redis.freeze,
                "well again": redis.thaw,
                "killed": redis.kill,
            }
            told = []
            for name, change in changes.items():
                tell(f"Redis {name}")
                change()
                found = one_round(server, ERA, plan)
                told.append(Away(name, plan.connections, found["calls"], found["p50_ms"], found["p99_ms"]))
            return told


def table(told: Sequence[Away]) -> str:
    heads = f"{'Redis':<24} {'clients':>8} {'calls':>8} {'p50 ms':>8} {'p99 ms':>8}"
    rows = [f"{heads}  at most {ALLOWED_P99_MS:g} while it is away"]
    rows += [f"{one.redis:<24} {one.clients:>8} {one.calls:>8,} {one.p50_ms:>8.1f} {one.p99_ms:>8.1f}" for one in told]
    return "\n".join(rows)
