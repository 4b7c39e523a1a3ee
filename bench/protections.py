"""What each protection costs a call: the gateway with everything on beside itself with one thing switched off.

A protection is switched off by its own setting. Breaker, bulkhead and deadline have none, since nobody should run
without them: they are measured alone. The lines of the log protect nobody; they are measured, and not added up.

Both stand in one process and are called in turn, without a network (`bench.inside`). Between two processes, or two
servers under load, other differences would hide what is looked for.
"""

import statistics
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from math import sqrt
from pathlib import Path
from typing import Any

from app.settings import Settings
from bench.inside import Asked, Measured, asked
from mcp_server.audit.sinks import BATCH

EVERYTHING, TOGETHER, WAY_OUT = "everything on", "together", "breaker, bulkhead, deadline"
ALLOWED_MICROSECONDS = 150.0
"""What all of them may cost a call together, without Redis."""

CALLS = BATCH
"""In each block: what is written in batches is spread over a whole one."""

ROUNDS = 8

ALIKE, ALIKE_IN_SUM = 2, 8
"""Processes for each protection, and for all of them together: two differ by some 30 µs, however often one is asked."""


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
    """Microseconds of processor time for each call; None where this gateway has no such switch. `error` is the
    standard error, from how far apart processes of the same kind are.
    """

    protection: str
    microseconds: float | None
    how: str
    error: float | None = None


Round = Mapping[str, Sequence[Measured]]
"""What each process measured, by what one half of it is without."""


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
                stack.enter_context(
                    asked(
                        f"{switch.name.replace(' ', '-')}-{each}",
                        switch.settings,
                        folder,
                        calls,
                        is_first=each % 2 == 1,
                    )
                )
                for each in range(ALIKE if switch in present else ALIKE_IN_SUM)
            ]
            for switch in (*present, Switch(TOGETHER, off))
        }
        for number in range(rounds):
            tell(f"protections, round {number + 1} of {rounds}")
            told.append(_round(processes))
    return costs(told, way_out)


def _round(processes: Mapping[str, Sequence[Asked]]) -> Round:
    return {name: [process.measured() for process in alike] for name, alike in processes.items()}


def costs(rounds: Sequence[Round], way_out: float) -> list[Cost]:
    """The table: each by itself, and all of them with what stands before the internal API.

    What a process says is the median of its rounds. It is told in yardsticks, and those in the microseconds of the
    fastest one seen: the machine's own speed changes by more than what is looked for.
    """
    yardstick = min(measured.yardstick for told in rounds for alike in told.values() for measured in alike)
    processes = {name: list(zip(*(told[name] for told in rounds), strict=True)) for name in rounds[0]}
    calls = [
        statistics.median(each.call for each in process) * yardstick
        for alike in processes.values()
        for process in alike
    ]

    def saved(name: str, how: str, more: float = 0.0) -> Cost:
        if name not in processes:
            return Cost(name, None, how)
        saved = [
            statistics.median(each.call - each.without for each in process) * yardstick for process in processes[name]
        ]
        return Cost(name, round(statistics.mean(saved) + more, 1), how, round(_error(saved), 1))

    return [
        Cost(EVERYTHING, round(statistics.mean(calls), 1), "the whole call", round(_error(calls), 1)),
        *(saved(switch.name, "switched off") for switch in SWITCHES if switch.protects),
        Cost(WAY_OUT, round(way_out, 1), "alone"),
        saved(TOGETHER, f"at most {ALLOWED_MICROSECONDS:g}", way_out),
        *(saved(switch.name, "not added up") for switch in SWITCHES if not switch.protects),
    ]


def _error(alike: Sequence[float]) -> float:
    """Of their mean."""
    return statistics.stdev(alike) / sqrt(len(alike)) if len(alike) > 1 else 0.0


def table(told: Sequence[Cost]) -> str:
    rows = [f"{'protection':<28} {'µs a call':>10} {'±':>6}  how"]
    rows += [
        f"{cost.protection:<28} {_figure(cost.microseconds) or 'missing':>10} {_figure(cost.error):>6}  {cost.how}"
        for cost in told
    ]
    return "\n".join(rows)


def _figure(value: float | None) -> str:
    return "" if value is None else format(value, ",.1f")
