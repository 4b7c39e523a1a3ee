"""What a server is like while it works: how long its event loop is held, and how much memory it has."""

import contextlib
import http.client
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import psutil

from tests.processes import HOST

PROBE = 0.005
"""Seconds between two looks, so that a hold is seen less this long at the least."""

PATIENCE = 600.0
LONG = 0.05


@dataclass
class Holds:
    """How long each look took, in seconds: what the server's event loop and the machine made it wait."""

    seconds: list[float] = field(default_factory=list)
    fault: OSError | http.client.HTTPException | None = None

    @property
    def longest_ms(self) -> float:
        return round(max(self.seconds) * 1000, 1)

    @property
    def long(self) -> int:
        return sum(second > LONG for second in self.seconds)


@contextmanager
def watched(port: int) -> Iterator[Holds]:
    """Look at `/livez`, which needs nothing but the event loop, until the block ends.

    Raises:
        OSError, HTTPException: it could not be looked at, so that nothing is known of the holds.

    """
    holds, over = Holds(), threading.Event()

    def look() -> None:
        try:
            with contextlib.closing(http.client.HTTPConnection(HOST, port, timeout=PATIENCE)) as connection:
                while not over.wait(PROBE):
                    begun = time.perf_counter()
                    connection.request("GET", "/livez")
                    connection.getresponse().read()
                    holds.seconds.append(time.perf_counter() - begun)
        except (OSError, http.client.HTTPException) as fault:
            holds.fault = fault

    thread = threading.Thread(target=look)
    thread.start()
    try:
        yield holds
    finally:
        over.set()
        thread.join()
    if holds.fault is not None:
        raise holds.fault


def resident_mb(pid: int) -> float:
    """Memory of the process and of those that it started."""
    process = psutil.Process(pid)
    total = 0
    for each in (process, *process.children(recursive=True)):
        with contextlib.suppress(psutil.NoSuchProcess):  # a child that has just ended has none
            total += each.memory_info().rss
    return round(total / 1024 / 1024, 1)
