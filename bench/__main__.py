"""`make bench`: one run, one upstream, one client; a table for people and `var/bench/latest.json` for programs."""

import argparse
import json
import os
import platform
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from bench import alone, panels, protection, redis_away
from bench.contestants import CONTESTANTS, PROXIES, cores
from bench.measure import Line, Plan, Wrong, measure
from tests.processes import ROOT, DidNotStart

LATEST = ROOT / "var" / "bench" / "latest.json"
GROUPS = 8
VERSIONS = ("mcp", "fastmcp", "starlette", "uvicorn", "httpx2", "aiohttp", "pyreqwest", "uvloop", "httptools")


def report(lines: Sequence[Line], plan: Plan, questions: Sequence[panels.Run] = ()) -> dict[str, Any]:
    """What is written down: the figures, and under what they were taken."""
    proxies = {proxy.name for proxy in PROXIES}
    ceiling = max(line.calls_per_second for line in lines if line.server in proxies)
    return {
        "taken": datetime.now(UTC).isoformat(timespec="seconds"),
        "machine": {"python": platform.python_version(), "cores": os.cpu_count(), "pinned": cores() is not None},
        "plan": asdict(plan),
        "versions": {name: found for name in VERSIONS if (found := _version(name))},
        "servers": [{**asdict(line), "of_ceiling": round(line.calls_per_second / ceiling, 3)} for line in lines],
        "panels": [asdict(run) for run in questions],
        "missing": [contestant.name for contestant in CONTESTANTS if not contestant.is_there],
    }


def table(told: dict[str, Any]) -> str:
    heads = ("calls/s", "p50 ms", "p99 ms", "CPU ms", "RSS MB")
    rows = [f"{'server':<28} {'era':<10} {' '.join(f'{head:>8}' for head in heads)} {'of ceiling':>10}"]
    rows += [
        f"{row['server']:<28} {row['era']:<10} {row['calls_per_second']:>8,.0f} {row['p50_ms']:>8.1f}"
        f" {row['p99_ms']:>8.1f} {row['cpu_ms']:>8.2f} {row['resident_mb']:>8.0f} {row['of_ceiling']:>10.0%}"
        for row in told["servers"]
    ]
    rows += [f"{name:<28} is not installed: make bench" for name in told["missing"]]
    if told.get("alone"):
        rows += ["", alone.table(told["alone"])]
    if told["panels"]:
        rows += ["", panels.table([panels.Run(**run) for run in told["panels"]])]
    if told.get("protection_microseconds"):
        rows += ["", protection.table(told["protection_microseconds"])]
    if told.get("redis_away"):
        rows += ["", redis_away.table([redis_away.Away(**one) for one in told["redis_away"]])]
    return "\n".join(rows)


def _tell(words: str) -> None:
    print(words, file=sys.stderr)


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("--rounds", type=int, default=3, help="rounds, of which the median counts (3)")
    parser.add_argument("--seconds", type=float, default=3, help="seconds of load for each server and era (3)")
    parser.add_argument("--connections", type=int, default=16, help="keep-alive connections (16)")
    parser.add_argument("--personas", type=int, default=200, help="personas of the panel that is asked; 0: none (200)")
    parser.add_argument("--calls", type=int, default=100_000, help="over which memory is watched; 0: none (100000)")
    parser.add_argument("--json", action="store_true", help="print what is written down instead of the table")
    told = parser.parse_args()
    plan = Plan(min(told.rounds, 15), min(told.seconds, 60), min(told.connections, 256))
    try:
        with tempfile.TemporaryDirectory(prefix="bench-") as folder:
            lines = measure(plan, Path(folder), _tell)
            personas = min(told.personas, 1_000)
            questions = panels.measure(Path(folder), personas, GROUPS, _tell) if personas else []
            before_upstream = protection.measure()
            written = report(lines, plan, questions)
            written["protection_microseconds"] = before_upstream
            written["alone"] = alone.as_json(alone.measure(plan, min(told.calls, 1_000_000), Path(folder), _tell))
            written["redis_away"] = [asdict(one) for one in redis_away.measure(plan, Path(folder), _tell)]
    except (Wrong, DidNotStart) as error:
        print(error, file=sys.stderr)
        return 1
    LATEST.parent.mkdir(parents=True, exist_ok=True)
    LATEST.write_text(json.dumps(written, indent=2) + "\n", "utf-8")
    print(json.dumps(written, indent=2) if told.json else table(written))
    return 0


if __name__ == "__main__":
    sys.exit(main())
