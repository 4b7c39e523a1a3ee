"""A bounded cache whose entries expire, and that computes each entry once however many ask."""

import asyncio
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Hashable
from functools import partial
from typing import Generic, TypeVar

from mcp_server.observability.telemetry import CacheLookup, no_op
from mcp_server.upstream.deadline import outliving

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class TtlCache(Generic[K, V]):
    """Least recently stored out first; `ttl` in seconds by a monotonic clock.

    `on_lookup` is called at each `once` with whether the value was there.
    """

    def __init__(
        self,
        ttl: float,
        *,
        size: int = 10_000,
        clock: Callable[[], float] = time.monotonic,
        on_lookup: CacheLookup = no_op,
    ) -> None:
        self._ttl, self._size, self._clock, self._on_lookup = ttl, size, clock, on_lookup
        self._rows: OrderedDict[K, tuple[float, V]] = OrderedDict()
        self._flights: dict[K, asyncio.Task[V]] = {}

    def get(self, key: K) -> V | None:
        row = self._rows.get(key)
        if row is None:
            return None
        if row[0] <= self._clock():
            del self._rows[key]
            return None
        return row[1]

    def put(self, key: K, value: V) -> None:
        self._rows[key] = (self._clock() + self._ttl, value)
        self._rows.move_to_end(key)
        while len(self._rows) > self._size:
            self._rows.popitem(last=False)

    def forget(self, key: K) -> None:
        self._rows.pop(key, None)

    async def once(self, key: K, compute: Callable[[], Awaitable[V]]) -> tuple[V, bool]:
        """The cached value, the one being computed at this moment, or a new one; and whether this call began it.

        A failure is not kept. One caller's cancellation is not the others': the computation goes on for them.
        """
        if (value := self.get(key)) is not None:
            self._on_lookup(True)  # noqa: FBT003  a callback with one argument
            return value, False
        flight = self._flights.get(key)
        leads = flight is None
        self._on_lookup(not leads)
        if flight is None:  # the first caller's deadline is not that of those who wait along with it
            flight = self._flights[key] = asyncio.create_task(outliving(compute))
            flight.add_done_callback(partial(self._land, key))
        return await asyncio.shield(flight), leads

    def _land(self, key: K, done: "asyncio.Task[V]") -> None:
        self._flights.pop(key, None)
        # A failure is seen here, so that a caller who left does not leave a warning behind.
        if not done.cancelled() and done.exception() is None:
            self.put(key, done.result())
