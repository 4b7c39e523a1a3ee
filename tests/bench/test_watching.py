"""A held event loop is seen, and a server that cannot be looked at is not taken for a smooth one."""

import asyncio
import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from bench.watching import LONG, PROBE, Holds, resident_mb, watched
from tests.loopback import reply
from tests.processes import free_port

HOLD = 0.06
ANSWER = reply("200 OK").replace(b"Connection: close\r\n", b"")


def until(true: Callable[[], bool]) -> None:
    """Poll, ten seconds at most."""
    ends = time.monotonic() + 10
    while not true() and time.monotonic() < ends:
        os.sched_yield()
    assert true()


async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while await reader.readuntil(b"\r\n\r\n"):
            writer.write(ANSWER)
    except asyncio.IncompleteReadError:
        writer.close()


@contextmanager
def loop_of_a_server() -> Iterator[tuple[asyncio.AbstractEventLoop, int]]:
    """The event loop of a server in a thread of its own, and the server's port."""
    loop, port = asyncio.new_event_loop(), free_port()
    server = loop.run_until_complete(asyncio.start_server(answer, "127.0.0.1", port))
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    yield loop, port
    loop.call_soon_threadsafe(server.close)
    loop.call_soon_threadsafe(loop.stop)
    thread.join()
    loop.run_until_complete(loop.shutdown_asyncgens())
    loop.close()


def test_a_hold_of_60_ms_is_seen() -> None:
    with loop_of_a_server() as (loop, port), watched(port) as holds:
        until(lambda: len(holds.seconds) > 5)
        held = threading.Event()
        loop.call_soon_threadsafe(time.sleep, HOLD)
        loop.call_soon_threadsafe(held.set)
        assert held.wait(10)
        seen = len(holds.seconds)
        until(lambda: len(holds.seconds) > seen + 2)

    assert max(holds.seconds) >= HOLD - 2 * PROBE
    assert holds.long >= 1
    assert holds.longest_ms >= LONG * 1000


def test_a_server_that_is_not_there_has_no_holds_to_tell() -> None:
    with pytest.raises(ConnectionRefusedError), watched(free_port()) as holds:
        until(lambda: holds.fault is not None)


def test_holds_are_counted_from_50_ms() -> None:
    assert (Holds([0.01, 0.05, 0.051]).long, Holds([0.01, 0.0514]).longest_ms) == (1, 51.4)


def test_memory_is_that_of_the_process() -> None:
    assert resident_mb(os.getpid()) > 10
