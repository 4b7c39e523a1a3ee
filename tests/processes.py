"""Real server processes for tests: started on a free loopback port, awaited, and stopped by their id."""

import http.client
import os
import secrets
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from itertools import cycle
from pathlib import Path

from tests.forked import Forked, forked

ROOT = Path(__file__).resolve().parent.parent
HOST = "127.0.0.1"
PATIENCE = 60.0
"""Seconds that a server may take to answer its first request, on a busy machine."""


Process = subprocess.Popen[bytes] | Forked

PLENTY = {
    "RATE_LIMIT_ANONYMOUS": "1000000/minute",
    "RATE_LIMIT_AUTHENTICATED": "1000000/minute",
    "RATE_LIMIT_TOOLS": ",".join(
        f"{tool}=1000000/minute" for tool in ("create_ai_persona_or_digital_twin", "talk_to_ai_persona", "*")
    ),
    "RATE_LIMIT_OAUTH": "register=1000000/minute,token=1000000/minute",
}
"""Requests are counted, and never too many: a test that is about limits says which."""


class DidNotStart(RuntimeError):
    """The process ended, or kept silent; its own last words are in the message."""


def _ports() -> Iterator[int]:
    """Those of this process among the tests, around and around; below the ones that systems give to connections."""
    first = FIRST_PORT + PORTS * (int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw")) % SHARES)
    start = secrets.randbelow(PORTS)  # two runs on one machine would otherwise take the same at the same time
    return cycle([first + (start + number) % PORTS for number in range(PORTS)])


FIRST_PORT, PORTS, SHARES = 11_000, 1_300, 16
_PORTS = _ports()


def free_port() -> int:
    """A port that nobody listens on, and that no other test of this run is given before the caller's own server, which
    is started later, has taken it.
    """
    for port in _PORTS:
        with closing(socket.socket()) as probe, suppress(OSError):
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # as servers do
            probe.bind((HOST, port))
            return port
    raise AssertionError("there is always a next port")


def environment(**settings: str) -> dict[str, str]:
    """Only what a process needs to run, and `settings`: nothing of the developer's own reaches a server under test."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG", "TMPDIR", "SYSTEMROOT") if name in os.environ}
    return {**kept, "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1", **PLENTY, **settings}


@contextmanager
def serving(
    arguments: Sequence[str],
    port: int,
    folder: Path,
    settings: Mapping[str, str],
    *,
    ready: str = "/livez",
    fresh: bool = False,
) -> Iterator[Process]:
    """`python ARGUMENTS` in `folder`, from when it answers 200 at `ready` until the context ends.

    What the process writes is in `folder/server-PORT.log`. A module (`-m MODULE …`) is forked, unless it is
    to be a `fresh` process, which imports all by itself.

    Raises:
        DidNotStart: it never answered.

    """
    log = folder / f"server-{port}.log"
    process = _started(arguments, folder, environment(**settings), log, fresh=fresh)
    try:
        _await(process, port, ready, log)
        yield process
    finally:
        stop(process)


def _started(
    arguments: Sequence[str], folder: Path, variables: Mapping[str, str], log: Path, *, fresh: bool
) -> Process:
    with log.open("wb") as sink:
        if arguments[0] == "-m" and not fresh:
            return forked(arguments[1], arguments[2:], folder, variables, log)
        command = [sys.executable, *arguments]
        return subprocess.Popen(command, cwd=folder, env=variables, stdout=sink, stderr=sink)


def stop(process: Process) -> None:
    """End `process` and nothing else: politely first."""
    process.terminate()
    try:
        process.wait(10)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait(10)


def _await(process: Process, port: int, path: str, log: Path) -> None:
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline and process.poll() is None:
        if _status(port, path) == http.client.OK:
            return
        time.sleep(0.05)
    words = log.read_text("utf-8", "replace")[-2000:]
    raise DidNotStart(f"no answer at port {port}{path}; the process said:\n{words}")


def wait_for_port(process: Process, port: int, log: Path) -> None:
    """Until somebody listens there.

    Raises:
        DidNotStart: the process ended, or never listened.

    """
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline and process.poll() is None:
        with closing(socket.socket()) as probe:
            if probe.connect_ex((HOST, port)) == 0:
                return
        time.sleep(0.05)
    raise DidNotStart(f"nobody listens at {port}; the process said:\n{log.read_text('utf-8', 'replace')[-2000:]}")


def _status(port: int, path: str) -> int | None:
    with closing(http.client.HTTPConnection(HOST, port, timeout=2)) as connection:
        try:
            connection.request("GET", path)
            return connection.getresponse().status
        except (OSError, http.client.HTTPException):
            return None
