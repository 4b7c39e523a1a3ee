"""What each protection costs a call: the gateway with everything on beside itself with one thing switched off.

A protection is switched off by its own setting. One whose setting this gateway does not have is told as missing. The
breaker has none, since nobody should run without it: it is measured alone.
"""

import asyncio
import statistics
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from app.settings import Settings
from bench.contestants import GATEWAY, Running, running, upstream
from bench.measure import WARM_UP, Plan, one_round
from bench.wire import ERAS
from mcp_server.breaker import AsyncBreaker, Verdict

ERA = ERAS[-1]
EVERYTHING, TOGETHER = "everything on", "together"
ALLOWED_MICROSECONDS = 150.0
"""What all of them may cost a call together, without Redis."""

GUARDED = 20_000
"""Calls through the breaker."""


@dataclass(frozen=True)
class Switch:
    """How one protection is switched off."""

    name: str
    settings: Mapping[str, str]

    @property
    def is_there(self) -> bool:
        return all(name.lower() in Settings.model_fields for name in self.settings)


SWITCHES = (
    Switch("limits", {"RATE_LIMIT_ENABLED": "false"}),
    Switch("audit", {"AUDIT_SINK": ","}),
    Switch("metrics", {"METRICS_ENABLED": "false"}),
    Switch("log", {"LOG_LEVEL": "error"}),
)


@dataclass(frozen=True)
class Cost:
    """Microseconds of processor time for each call; None where this gateway has no such switch."""

    protection: str
    microseconds: float | None
    how: str


def measure(plan: Plan, folder: Path, tell: Any, switches: Sequence[Switch] = SWITCHES) -> list[Cost]:
    """Each round takes all of them in turn; a cost is the median of the differences within a round."""
    present = [switch for switch in switches if switch.is_there]
    off = {name: value for switch in present for name, value in switch.settings.items()}
    switched = [Switch(EVERYTHING, {}), *present, Switch(TOGETHER, off)]
    rounds: list[dict[str, float]] = []
    with ExitStack() as stack:
        api = stack.enter_context(upstream(folder))
        servers = {each.name: _start(stack, each, api, folder) for each in switched}
        for server in servers.values():
            one_round(server, ERA, replace(plan, seconds=WARM_UP))
        for number in range(plan.rounds):
            tell(f"protections, round {number + 1} of {plan.rounds}")
            # Each with everything on just before it: the machine's other work drifts from second to second.
            rounds.append({name: _cost(servers[EVERYTHING], server, plan) for name, server in servers.items()})
    breaker = asyncio.run(guard_microseconds())
    return costs(rounds, breaker)


def _cost(whole: Running, without: Running, plan: Plan) -> float:
    if whole is without:
        return 0.0
    return float(one_round(whole, ERA, plan)["cpu_ms"] - one_round(without, ERA, plan)["cpu_ms"]) * 1000


def _start(stack: ExitStack, switch: Switch, api: str, folder: Path) -> Running:
    def settings(port: int, upstream: str) -> dict[str, str]:
        return {**GATEWAY.settings(port, upstream), "DATA_DIR": switch.name, **switch.settings}

    return stack.enter_context(running(replace(GATEWAY, name=switch.name, settings=settings), api, folder))


def costs(rounds: Sequence[Mapping[str, float]], breaker: float) -> list[Cost]:
    """The table: each by itself, and all of them with the breaker."""

    def middle(name: str) -> float | None:
        return round(statistics.median(told[name] for told in rounds), 1) if name in rounds[0] else None

    each = [Cost(switch.name, middle(switch.name), "switched off") for switch in SWITCHES]
    together = middle(TOGETHER)
    return [
        *each,
        Cost("breaker", round(breaker, 1), "alone"),
        Cost(TOGETHER, round((together or 0.0) + breaker, 1), f"at most {ALLOWED_MICROSECONDS:g}"),
    ]


async def guard_microseconds(calls: int = GUARDED) -> float:
    """What the breaker adds to a call that succeeds."""
    breaker = AsyncBreaker("bench", judge=lambda _error: Verdict.FAULT)
    begun = time.process_time()
    for _ in range(calls):
        async with breaker.guard():
            pass
    return (time.process_time() - begun) * 1e6 / calls


def table(told: Sequence[Cost]) -> str:
    rows = [f"{'protection':<24} {'µs a call':>10}  how"]
    rows += [
        f"{cost.protection:<24} {'missing' if cost.microseconds is None else format(cost.microseconds, ',.1f'):>10}"
        f"  {cost.how}"
        for cost in told
    ]
    return "\n".join(rows)
