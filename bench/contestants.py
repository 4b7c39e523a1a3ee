"""Who is measured, and how each is started: on the first core, with the load and the upstream on the second."""

import importlib.util
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psutil

from bench.wire import ERAS, KEY, signed_bearer
from tests.processes import HOST, ROOT, free_port, serving

PLENTY = "1000000000/minute"
TYPESCRIPT = ROOT / "bench" / "peers" / "typescript"


@dataclass(frozen=True)
class Contestant:
    """A server to measure.

    Attributes:
        arguments: what python is told, given its port and its upstream.
        settings: its environment, given the same.
        program: what is started; python where nothing is said.
        needs: a module, or a path, without which it cannot run.

    """

    name: str
    arguments: Callable[[int, str], tuple[str, ...]]
    settings: Callable[[int, str], dict[str, str]] = lambda _port, _upstream: {"HOST": HOST}
    eras: tuple[str, ...] = ERAS
    bearer: Callable[[], str] = lambda: KEY
    needs: str = "mcp"
    program: tuple[str, ...] = (sys.executable,)

    @property
    def is_there(self) -> bool:
        if self.needs.startswith("/"):
            return Path(self.needs).exists()
        return importlib.util.find_spec(self.needs) is not None


@dataclass(frozen=True)
class Running:
    """A started contestant."""

    contestant: Contestant
    port: int
    process: psutil.Process

    @property
    def resident(self) -> float:
        """Megabytes, children included."""
        return round(sum(member.memory_info().rss for member in self._family()) / 1e6, 1)

    @property
    def busy(self) -> float:
        """Seconds of processor time so far, children included."""
        return sum(sum(member.cpu_times()[:2]) for member in self._family())

    def _family(self) -> list[psutil.Process]:
        return [self.process, *self.process.children(recursive=True)]


def _gateway(port: int, upstream: str) -> dict[str, str]:
    return {
        "HOST": HOST,
        "PORT": str(port),
        "DATA_DIR": "gateway",
        "MINDSAI_API_URL": upstream,
        # Counted like any other, and never reached.
        "RATE_LIMIT_ANONYMOUS": PLENTY,
        "RATE_LIMIT_AUTHENTICATED": PLENTY,
        "RATE_LIMIT_TOOLS": f"*={PLENTY}",
    }


def _peer(module: str, *more: str) -> Callable[[int, str], tuple[str, ...]]:
    return lambda port, upstream: ("-m", module, "--port", str(port), "--upstream", upstream, *more)


GATEWAY = Contestant("gateway, everything on", lambda _port, _upstream: ("-m", "app", "serve"), _gateway)
PROXIES = tuple(
    Contestant(f"bare proxy, {name}", _peer("bench.peers.proxy", "--client", name), eras=ERAS[:1], needs=name)
    for name in ("httpx2", "aiohttp", "pyreqwest")
)
"""The fastest of them in a run is the ceiling of that run."""
CONTESTANTS = (
    GATEWAY,
    Contestant("mcp SDK, nothing else", _peer("bench.peers.sdk")),
    Contestant("FastMCP, JWT, limiter", _peer("bench.peers.fast"), bearer=signed_bearer, needs="fastmcp"),
    Contestant(
        "TypeScript SDK, nothing else",
        lambda port, upstream: (f"{TYPESCRIPT}/server.mjs", "--port", str(port), "--upstream", upstream),
        needs=f"{TYPESCRIPT}/node_modules",
        program=("node",),
    ),
    *PROXIES,
)


def cores() -> tuple[int, int] | None:
    """One for the server and one for the load, where the machine has two."""
    if not hasattr(os, "sched_getaffinity"):
        return None
    usable = sorted(os.sched_getaffinity(0))
    return (usable[0], usable[1]) if len(usable) > 1 else None


def pin(pid: int, core: int | None) -> None:
    """Keep a process, with the threads that it has, on `core`; the threads to come inherit it."""
    if core is None:
        return
    for thread in psutil.Process(pid).threads():
        os.sched_setaffinity(thread.id, {core})


@contextmanager
def running(contestant: Contestant, upstream: str, folder: Path, below: Sequence[str] = ()) -> Iterator[Running]:
    """`contestant`, from when it answers until the context ends; a program that it runs under stands `below` it."""
    port = free_port()
    settings = contestant.settings(port, upstream)
    program = (*below, *contestant.program, *contestant.arguments(port, upstream))
    with serving(program[1:], port, folder, settings, program=program[0]) as process:
        pair = cores()
        pin(process.pid, pair[0] if pair else None)
        yield Running(contestant, port, psutil.Process(process.pid))


@contextmanager
def upstream(folder: Path) -> Iterator[str]:
    """The upstream of all of them."""
    port = free_port()
    with serving(("-m", "bench.upstream", "--port", str(port)), port, folder, {}) as process:
        pair = cores()
        pin(process.pid, pair[1] if pair else None)
        yield f"http://{HOST}:{port}"
