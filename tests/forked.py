"""`python -m MODULE …` in a process of its own that is forked from one where everything is imported already.

Imports are four fifths of what a gateway's start costs, and the same each time; a run of all tests starts hundreds.
The process has its own number, folder, environment and output, and runs the module from its first line.
"""

import os
import runpy
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from functools import cache
from multiprocessing import get_context
from multiprocessing.context import ForkServerContext, ForkServerProcess
from pathlib import Path


class Forked:
    """What tests use of `subprocess.Popen`, for a process that the fork server has started."""

    def __init__(self, process: ForkServerProcess) -> None:
        process.start()
        assert process.pid is not None
        self._process, self.pid = process, process.pid

    def poll(self) -> int | None:
        return self._process.exitcode

    def wait(self, timeout: float | None = None) -> int:
        """Its exit code. Raises `subprocess.TimeoutExpired`."""
        self._process.join(timeout)
        if (code := self._process.exitcode) is None:
            raise subprocess.TimeoutExpired(f"process {self.pid}", timeout or 0)
        return code

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            os.kill(self.pid, number)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)


def forked(module: str, arguments: Sequence[str], folder: Path, variables: Mapping[str, str], log: Path) -> Forked:
    """`python -m MODULE ARGUMENTS` in `folder`, with this environment and no other; what it writes is in `log`."""
    return Forked(fork_server().Process(target=_run, args=(module, tuple(arguments), folder, dict(variables), log)))


@cache
def fork_server() -> ForkServerContext:
    """The one of this test process; what it is to import can be said only before it starts."""
    context = get_context("forkserver")
    context.set_forkserver_preload(["tests.imported"])
    return context


def _run(module: str, arguments: tuple[str, ...], folder: Path, variables: dict[str, str], log: Path) -> None:
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    sink = os.open(log, os.O_WRONLY | os.O_APPEND)
    for stream in (1, 2):
        os.dup2(sink, stream)
    run_module(module, arguments, folder, variables)


def run_module(module: str, arguments: Sequence[str], folder: Path | str, variables: Mapping[str, str]) -> None:
    """Become `python -m MODULE ARGUMENTS` with this environment and no other, in a process that was forked for it."""
    sys.stdin = os.fdopen(0)  # `multiprocessing` has put another in its place
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(write_through=True)  # type: ignore[union-attr]  # as with PYTHONUNBUFFERED
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(variables)
    sys.argv = [module, *arguments]
    runpy.run_module(module, run_name="__main__", alter_sys=True)
