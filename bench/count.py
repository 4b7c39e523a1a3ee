"""`make bench-count`: user instructions a call, which do not depend on what else the machine does.

Each server runs under valgrind's callgrind, and nothing is counted until it is warm. Then so many calls are made, and
three times as many: the difference is what a call costs by itself, without what is done once for each run. What a
layer costs is the difference to the same gateway without it.
"""

import argparse
import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from functools import partial
from itertools import product
from pathlib import Path

from bench.contestants import GATEWAY, PROXIES, Contestant, Running, running, upstream
from bench.measure import Wrong, load
from tests.processes import HOST, DidNotStart, environment

CALLGRIND = ("valgrind", "--tool=callgrind", "--instr-atstart=no")
WARM_UP, CONNECTIONS, SECONDS = 30, 4, 120
LIGHTER = 4
"""A list costs several calls, and is the same each time: it is asked for so many times less often."""

TOTAL = re.compile(rb"^(?:totals|summary): (\d+)", re.MULTILINE)


LAYERS = {
    "without limits": {"RATE_LIMIT_ENABLED": "false"},
    "without audit": {"AUDIT_SINK": ","},
    "without audit table": {"AUDIT_SINK": "file"},
    "without metrics": {"METRICS_ENABLED": "false"},
    "without log lines": {"LOG_LEVEL": "error"},
}
"""What a setting switches off. Breaker, bulkhead and deadline have none, since nobody should run without them."""


@dataclass(frozen=True)
class Count:
    """Millions of user instructions for one call."""

    server: str
    era: str
    method: str
    millions: float


def measure(calls: int, folder: Path) -> Iterator[Count]:
    """The gateway and the bare proxies, one after the other.

    Raises:
        Wrong: an answer, or a count, is none.

    """
    with upstream(folder) as api:
        for contestant in (GATEWAY, *_layers(), *PROXIES):
            if not contestant.is_there:
                continue
            methods = ("tools/call", "tools/list") if contestant is GATEWAY else ("tools/call",)
            out = folder / f"count-{contestant.name.replace(' ', '-')}"
            steady = replace(contestant, settings=_steady(contestant))
            with running(steady, api, folder, (*CALLGRIND, f"--callgrind-out-file={out}")) as server:
                for method in methods:
                    load(server, contestant.eras[0], CONNECTIONS, SECONDS, calls=WARM_UP, method=method)
                _control(server, "-i", "on")
                for era, method in product(contestant.eras, methods):
                    yield Count(contestant.name, era, method, _a_call(server, out, era, method, calls))
                    print(f"{contestant.name}, {era}, {method}", file=sys.stderr, flush=True)


def _layers() -> Iterator[Contestant]:
    for name, off in LAYERS.items():
        settings = partial(_switched_off, off)
        yield replace(GATEWAY, name=f"gateway, {name}", settings=settings, eras=GATEWAY.eras[:1])


def _switched_off(off: Mapping[str, str], port: int, upstream: str) -> dict[str, str]:
    return {**GATEWAY.settings(port, upstream), **off}


def _steady(contestant: Contestant) -> Callable[[int, str], dict[str, str]]:
    """Its settings, with the order of sets and the collisions of names alike in each process."""
    return lambda port, upstream: {**contestant.settings(port, upstream), "PYTHONHASHSEED": "0"}


def _a_call(server: Running, out: Path, era: str, method: str, calls: int) -> float:
    load(server, era, CONNECTIONS, SECONDS, calls=WARM_UP, method=method)
    calls = calls if method == "tools/call" else max(1, calls // LIGHTER)
    once = _instructions(server, out, era, method, calls)
    return round((_instructions(server, out, era, method, 3 * calls) - once) / (2 * calls) / 1e6, 3)


def _instructions(server: Running, out: Path, era: str, method: str, calls: int) -> int:
    _control(server, "-z")
    load(server, era, CONNECTIONS, SECONDS, calls=calls, method=method)
    before = set(out.parent.glob(f"{out.name}.*"))
    _control(server, "-d")
    (dump,) = set(out.parent.glob(f"{out.name}.*")) - before
    if (found := TOTAL.search(dump.read_bytes())) is None:
        raise Wrong(f"{dump.name} has no total")
    return int(found[1])


def _control(server: Running, *told: str) -> None:
    # valgrind names its pipes after variables of the server's environment, HOST among them.
    command, known = ["callgrind_control", *told, str(server.process.pid)], environment(HOST=HOST)
    subprocess.run(command, env=known, check=True, capture_output=True, timeout=60)


def table(counts: list[Count]) -> str:
    rows = [f"{'server':<24} {'era':<10} {'method':<10} {'million instructions':>20}"]
    rows += [f"{one.server:<24} {one.era:<10} {one.method:<10} {one.millions:>20.2f}" for one in counts]
    return "\n".join(rows)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.count", description=__doc__)
    parser.add_argument("--calls", type=int, default=200, help="in the shorter of the two runs (200)")
    parser.add_argument("--json", action="store_true", help="print JSON instead of the table")
    told = parser.parse_args()
    try:
        with tempfile.TemporaryDirectory(prefix="bench-") as folder:
            counts = list(measure(min(told.calls, 1_000), Path(folder)))
    except (Wrong, DidNotStart, FileNotFoundError, subprocess.CalledProcessError) as error:
        print(error, file=sys.stderr)
        return 1
    print(json.dumps([asdict(one) for one in counts], indent=2) if told.json else table(counts))
    return 0


if __name__ == "__main__":
    sys.exit(main())
