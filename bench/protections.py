"""What each protection costs a call: the gateway with everything on beside itself with one thing switched off.

A protection is switched off by its own setting. Breaker, bulkhead and deadline have none, since nobody should run
without them: they are measured alone. The lines of the log protect nobody; they are measured, and not added up.

Each is a process that is called without a network (`bench.inside`). Between two servers under load the machine's own
drift, a millisecond from one minute to the next, would hide what is looked for.
"""

import statistics
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from app.settings import Settings
from bench.inside import Asked, asked

EVERYTHING, TOGETHER, WAY_OUT = "everything on", "together", "breaker, bulkhead, deadline"
ALLOWED_MICROSECONDS = 150.0
"""What all of them may cost a call together, without Redis."""

CALLS = 600
"""In each round, so that what is written in batches is spread over whole batches."""

ALIKE = 2
"""Processes of each kind. Where a process happens to lie in memory makes it some 50 µs faster or slower for good."""


@dataclass(frozen=True)
class Switch:
    """How one protection is switched off."""

    name: str
    settings: Mapping[str, str]
    protects: bool = True

    @property
    def is_there(self) -> bool:
        return all(name.lower() in Settings.model_fields for name in self.settings)


SWITCHES = (
    Switch("limits", {"RATE_LIMIT_ENABLED": "false"}),
    Switch("audit", {"AUDIT_SINK": ","}),
    Switch("metrics", {"METRICS_ENABLED": "false"}),
    Switch("log lines", {"LOG_LEVEL": "error"}, protects=False),
)


@dataclass(frozen=True)
class Cost:
    """Microseconds of processor time for each call; None where this gateway has no such switch."""

    protection: str
    microseconds: float | None
    how: str


Round = Mapping[str, Sequence[float]]
"""Microseconds of each process, by what it is without."""


def measure(
    rounds: int, folder: Path, tell: Any, way_out: float, switches: Sequence[Switch] = SWITCHES, calls: int = CALLS
) -> list[Cost]:
    """Each round asks all processes in turn. `way_out` is what stands before the internal API, measured alone."""
    present = [switch for switch in switches if switch.is_there]
    off = {name: value for switch in present if switch.protects for name, value in switch.settings.items()}
    told: list[Round] = []
    with ExitStack() as stack:
        processes = {
            switch.name: [
                stack.enter_context(asked(f"{switch.name.replace(' ', '-')}-{each}", switch.settings, folder, calls))
                for each in range(ALIKE)
            ]
            for switch in (Switch(EVERYTHING, {}), *present, Switch(TOGETHER, off))
        }
        for number in range(rounds):
            tell(f"protections, round {number + 1} of {rounds}")
            told.append(_round(processes))
    return costs(told, way_out)


def _round(processes: Mapping[str, Sequence[Asked]]) -> Round:
    return {name: [process.microseconds() for process in alike] for name, alike in processes.items()}


def costs(rounds: Sequence[Round], way_out: float) -> list[Cost]:
    """The table: each by itself, and all of them with what stands before the internal API.

    Of each process its best round counts: what else the machine does can only add to it.
    """
    best = {name: statistics.mean(map(min, zip(*(told[name] for told in rounds), strict=True))) for name in rounds[0]}

    def saved(name: str) -> float | None:
        return round(best[EVERYTHING] - best[name], 1) if name in best else None

    together = best[EVERYTHING] - best[TOGETHER] + way_out
    return [
        Cost(EVERYTHING, round(best[EVERYTHING], 1), "the whole call"),
        *(Cost(switch.name, saved(switch.name), "switched off") for switch in SWITCHES if switch.protects),
        Cost(WAY_OUT, round(way_out, 1), "alone"),
        Cost(TOGETHER, round(together, 1), f"at most {ALLOWED_MICROSECONDS:g}"),
        *(Cost(switch.name, saved(switch.name), "not added up") for switch in SWITCHES if not switch.protects),
    ]


def table(told: Sequence[Cost]) -> str:
    rows = [f"{'protection':<28} {'µs a call':>10}  how"]
    rows += [
        f"{cost.protection:<28} {'missing' if cost.microseconds is None else format(cost.microseconds, ',.1f'):>10}"
        f"  {cost.how}"
        for cost in told
    ]
    return "\n".join(rows)
