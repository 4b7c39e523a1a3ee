"""The load: keep-alive connections that call again as soon as they are answered, for a fixed time or number of calls,
or when the next call is due at a fixed rate.

`python -m bench.load --port N --era E --bearer B --seconds S` prints one JSON object. It is a raw HTTP/1.1 client on
uvloop, so that it is never the slowest part.
"""

import argparse
import asyncio
import itertools
import json
import os
import re
import time
from collections.abc import Iterator, Sequence
from typing import cast

import uvloop

from bench.upstream import MARK
from bench.wire import TOOL, call

LENGTH = re.compile(rb"\r\ncontent-length:[ \t]*(\d+)", re.IGNORECASE)
LAST_CHUNK = b"0\r\n\r\n"
ENOUGH_FAULTS = 3


class Caller(asyncio.Protocol):
    """One connection with one call in flight; the next is made when the next of `dues` is reached, or passed."""

    def __init__(self, request: bytes, dues: Iterator[float], mark: bytes) -> None:
        self.request, self.dues, self.mark = request, dues, mark
        self.latencies: list[float] = []
        self.faults: list[str] = []
        self.done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.waiting = b""
        self.started = 0.0
        self.transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast("asyncio.Transport", transport)  # uvloop's has the methods and not the ancestor
        self._next()

    def data_received(self, data: bytes) -> None:
        self.waiting += data
        if not complete(self.waiting):
            return
        self.latencies.append(time.perf_counter() - self.started)
        if b" 200 " not in self.waiting[:16] or self.mark not in self.waiting:
            self.faults.append(self.waiting[:400].decode("utf-8", "replace"))
        self.waiting = b""
        self._next()

    def connection_lost(self, exc: Exception | None) -> None:
        if not self.done.done():
            self.faults.append(f"the connection was closed: {exc}")
            self.done.set_result(None)

    def _next(self) -> None:
        due = next(self.dues, None) if len(self.faults) < ENOUGH_FAULTS else None
        if due is None:
            assert self.transport is not None
            self.done.set_result(None)
            self.transport.close()
        elif due and (wait := due - time.perf_counter()) > 0:
            asyncio.get_running_loop().call_later(wait, self._send)
        else:
            self._send(due)  # late: what it waited for its turn is part of its time

    def _send(self, due: float = 0.0) -> None:
        assert self.transport is not None
        self.started = due or time.perf_counter()
        if not self.transport.is_closing():
            self.transport.write(self.request)


def complete(response: bytes) -> bool:
    """Whether `response` is all there: by its length, or by its last chunk."""
    head, separator, body = response.partition(b"\r\n\r\n")
    if not separator:
        return False
    if length := LENGTH.search(head):
        return len(body) >= int(length[1])
    return body.endswith(LAST_CHUNK)


def dues(seconds: float, calls: int = 0, rate: float = 0) -> Iterator[float]:
    """When each call is due, 0: at once. So many `calls`, where that is said, and otherwise until the time is over."""
    begun = time.perf_counter()
    for number in itertools.count():
        if number >= calls if calls else time.perf_counter() >= begun + seconds:
            return
        yield begun + number / rate if rate else 0.0


async def run(
    port: int, request: bytes, connections: int, seconds: float, when: Iterator[float] | None = None, mark: bytes = MARK
) -> dict[str, object]:
    """What came of the calls; times in milliseconds. All of them take no longer than `seconds` and half a minute."""
    loop, when = asyncio.get_running_loop(), when or dues(seconds)
    begun = time.perf_counter()
    callers = [
        (await loop.create_connection(lambda: Caller(request, when, mark), "127.0.0.1", port))[1]
        for _ in range(connections)
    ]
    await asyncio.wait_for(asyncio.gather(*(caller.done for caller in callers)), seconds + 30)
    took = time.perf_counter() - begun
    latencies = sorted(latency for caller in callers for latency in caller.latencies)
    faults = [fault for caller in callers for fault in caller.faults]
    return {
        "calls": len(latencies),
        "calls_per_second": round(len(latencies) / took, 1),
        "p50_ms": percentile(latencies, 0.50),
        "p99_ms": percentile(latencies, 0.99),
        "faults": faults[:ENOUGH_FAULTS],
    }


def percentile(ordered: Sequence[float], share: float) -> float | None:
    """In milliseconds; None of nothing."""
    return round(ordered[min(len(ordered) - 1, int(len(ordered) * share))] * 1000, 2) if ordered else None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--era", required=True)
    parser.add_argument("--bearer", required=True)
    parser.add_argument("--connections", type=int, default=16)
    parser.add_argument("--seconds", type=float, default=3)
    parser.add_argument("--calls", type=int, default=0, help="so many, which take at most the seconds")
    parser.add_argument("--rate", type=float, default=0, help="calls a second that are due; 0: one after another")
    parser.add_argument("--method", default="tools/call")
    parser.add_argument("--core", type=int, help="the core to stay on")
    told = parser.parse_args()
    if told.core is not None:
        os.sched_setaffinity(0, {told.core})
    request = call(told.era, told.port, told.bearer, told.method)
    mark = MARK if told.method == "tools/call" else TOOL.encode()
    when = dues(told.seconds, told.calls, told.rate)
    print(json.dumps(uvloop.run(run(told.port, request, told.connections, told.seconds, when, mark))))


if __name__ == "__main__":
    main()
