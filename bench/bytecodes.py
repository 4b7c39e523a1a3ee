"""`python -m bench.bytecodes`: the bytecode instructions of a call by package: where the time of the interpreter goes.

The same on every run and on any machine, unlike seconds; what C code does is not in it (`make bench-count` has that).
The gateway runs as `python -m app serve` does, in a process that counts between two signals.
"""

import argparse
import runpy
import signal
import sys
import tempfile
from collections import Counter
from dataclasses import replace
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

from bench.contestants import GATEWAY, running, upstream
from bench.measure import load
from bench.wire import ERAS
from tests.processes import ROOT

WARM_UP, SECONDS = 30, 60
COUNTED = Path("bytecodes.txt")
DEPTH = 2
"""Folders of ours that are told apart; a library is one line."""


def serve() -> None:
    """The gateway, which counts from SIGUSR1 to SIGUSR2 and then writes what it found into `COUNTED`."""
    executed = Counter[CodeType]()

    def inside(frame: FrameType, event: str, _arg: Any) -> Any:
        if event == "opcode":
            executed[frame.f_code] += 1
        return inside

    def entered(frame: FrameType, _event: str, _arg: Any) -> Any:
        frame.f_trace_opcodes, frame.f_trace_lines = True, False
        return inside

    def written(*_signal: object) -> None:
        sys.settrace(None)
        lines = [f"{times} {code.co_filename}\n" for code, times in executed.items()]
        COUNTED.with_suffix(".part").write_text("".join(lines), "utf-8")
        COUNTED.with_suffix(".part").rename(COUNTED)

    signal.signal(signal.SIGUSR1, lambda *_signal: sys.settrace(entered))
    signal.signal(signal.SIGUSR2, written)
    sys.argv = ["app", "serve"]
    runpy.run_module("app", run_name="__main__")


def package(filename: str) -> str:
    """`/.../app/http/body.py` is app/http, and of a library the name."""
    if "site-packages/" in filename:
        return filename.partition("site-packages/")[2].partition("/")[0]
    if filename.startswith(f"{ROOT}/"):
        return "/".join(filename.removeprefix(f"{ROOT}/").split("/")[:DEPTH]).removesuffix(".py")
    return "standard library"


def measure(era: str, calls: int, folder: Path) -> Counter[str]:
    """Bytecode instructions a call, by package."""
    counting = replace(GATEWAY, arguments=lambda _port, _upstream: ("-m", "bench.bytecodes", "--serve"))
    with upstream(folder) as api, running(counting, api, folder) as server:
        load(server, era, 1, SECONDS, calls=WARM_UP)
        server.process.send_signal(signal.SIGUSR1)
        load(server, era, 1, SECONDS, calls=calls)
        server.process.send_signal(signal.SIGUSR2)
        load(server, era, 1, SECONDS, calls=1)  # wakes the interpreter, which then looks at its signals
        found = Counter[str]()
        for line in (folder / COUNTED).read_text("utf-8").splitlines():
            times, _, filename = line.partition(" ")
            found[package(filename)] += int(times)
    return Counter({name: round(times / calls) for name, times in found.items()})


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.bytecodes", description=__doc__)
    parser.add_argument("--calls", type=int, default=200, help="that are counted (200)")
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    told = parser.parse_args()
    if told.serve:
        serve()
        return 0
    for era in ERAS:
        with tempfile.TemporaryDirectory(prefix="bench-") as folder:
            found = measure(era, min(told.calls, 10_000), Path(folder))
        print(f"{era}: {found.total():,} a call")
        print("".join(f"{times:>8,} {times / found.total():>5.1%}  {name}\n" for name, times in found.most_common(30)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
