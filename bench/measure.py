"""Rounds of load, and the median of each server's rounds."""

import importlib.util
import json
import statistics
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Iterable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2

from bench.contestants import CONTESTANTS, Running, cores, running, upstream
from bench.upstream import COUNT
from bench.wire import KEY
from tests.processes import ROOT, environment

WARM_UP = 0.5
STDIO_STARTS = 5
LIST_ID = 2


class Wrong(RuntimeError):
    """A server answered with something else than the personas: its rate means nothing."""


@dataclass(frozen=True)
class Plan:
    """How much is measured. All of it is bounded."""

    rounds: int
    seconds: float
    connections: int


@dataclass(frozen=True)
class Line:
    """The median round of one server in one era.

    `cpu_ms` is processor time for each call: what is left to compare where others use the machine too.
    """

    server: str
    era: str
    calls_per_second: float
    p50_ms: float
    p99_ms: float
    cpu_ms: float
    resident_mb: float


def measure(plan: Plan, folder: Path, tell: Any) -> list[Line]:
    """Each round takes every server and era in turn, so that a slow minute of the machine meets them all.

    Raises:
        Wrong: a server's answers are not the upstream's.

    """
    rounds: dict[tuple[str, str], list[dict[str, Any]]] = defaultdict(list)
    with ExitStack() as stack:
        api = stack.enter_context(upstream(folder))
        present = [contestant for contestant in CONTESTANTS if contestant.is_there]
        servers = [stack.enter_context(running(contestant, api, folder)) for contestant in present]
        pairs = [(server, era) for server in servers for era in server.contestant.eras]
        for server, era in pairs:
            load(server, era, plan.connections, WARM_UP)
        for number in range(plan.rounds):
            for server, era in pairs:
                tell(f"round {number + 1} of {plan.rounds}: {server.contestant.name}, {era}")
                asked = requests(api)
                found = one_round(server, era, plan)
                _check_upstream(server, requests(api) - asked - 1, found["calls"])
                rounds[server.contestant.name, era].append(found)
    return [_median(name, era, told) for (name, era), told in rounds.items()]


def requests(api: str) -> int:
    """How many the upstream has had, this one included."""
    return int(httpx2.get(f"{api}{COUNT.decode()}").text)


def _check_upstream(server: Running, requests: int, calls: int) -> None:
    """One request a call; a few more are those of a key whose minute is over."""
    if not calls <= requests <= calls * 1.01 + 2:
        raise Wrong(f"{server.contestant.name}: {requests} upstream requests for {calls} calls")


def one_round(server: Running, era: str, plan: Plan) -> dict[str, Any]:
    """What one server does for so many seconds, with its processor time for each call."""
    busy = server.busy
    told = load(server, era, plan.connections, plan.seconds)
    return {**told, "cpu_ms": (server.busy - busy) * 1000 / told["calls"], "resident_mb": server.resident}


def load(server: Running, era: str, connections: int, seconds: float, **more: object) -> dict[str, Any]:
    """What the client saw. Options that only some measures need are `more`.

    Raises:
        Wrong: an answer was not the upstream's.

    """
    contestant, pair = server.contestant, cores()
    command = [sys.executable, "-m", "bench.load", "--port", str(server.port), "--era", era]
    command += ["--bearer", contestant.bearer(), "--connections", str(connections), "--seconds", str(seconds)]
    command += [f"--{name}={value}" for name, value in more.items()]
    if pair:
        command += ["--core", str(pair[1])]
    run = subprocess.run(
        command, cwd=ROOT, env=environment(), capture_output=True, text=True, timeout=seconds + 60, check=False
    )
    if run.returncode != 0:
        raise Wrong(f"{contestant.name}, {era}: {run.stderr[-1000:]}")
    told: dict[str, Any] = json.loads(run.stdout)
    if told["faults"]:
        raise Wrong(f"{contestant.name}, {era}: {told['faults'][0]}")
    return told


def _median(name: str, era: str, rounds: list[dict[str, Any]]) -> Line:
    middle = sorted(rounds, key=lambda told: float(told["calls_per_second"]))[len(rounds) // 2]
    return Line(
        server=name,
        era=era,
        calls_per_second=middle["calls_per_second"],
        p50_ms=middle["p50_ms"],
        p99_ms=middle["p99_ms"],
        cpu_ms=round(statistics.median(told["cpu_ms"] for told in rounds), 3),
        resident_mb=rounds[-1]["resident_mb"],
    )


def stdio_start(folder: Path) -> float | None:
    """Median seconds from the start of the stdio server to its first answer to `tools/list`; None if there is none."""
    if importlib.util.find_spec("mcp_server.stdio") is None:
        return None
    with upstream(folder) as api:
        settings = environment(MINDSAI_API_URL=api, MINDSAI_API_KEY=KEY, DATA_DIR=str(folder / "stdio"))
        return round(statistics.median(_first_list(settings, folder) for _ in range(STDIO_STARTS)), 3)


def _first_list(settings: dict[str, str], folder: Path) -> float:
    begun = time.perf_counter()
    with subprocess.Popen(
        [sys.executable, "-m", "mcp_server.stdio"],
        cwd=folder,
        env=settings,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(b"".join(json.dumps(message).encode() + b"\n" for message in _opening()))
        process.stdin.flush()
        for line in process.stdout:
            if json.loads(line).get("id") == LIST_ID:
                break
        took = time.perf_counter() - begun
        process.stdin.close()
        process.wait(30)
    return took


def _opening() -> Iterable[dict[str, Any]]:
    hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}
    yield {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello}
    yield {"jsonrpc": "2.0", "method": "notifications/initialized"}
    yield {"jsonrpc": "2.0", "id": LIST_ID, "method": "tools/list", "params": {}}
