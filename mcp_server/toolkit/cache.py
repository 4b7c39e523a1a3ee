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
    """Least recently stored out first, when all together `weigh` more than `size`; `ttl` in seconds, monotonic.

    `on_lookup` is called at each `once` with whether the value was there.
    """

    def __init__(
        self,
        ttl: float,
        *,
        size: int = 10_000,
        weigh: Callable[[V], int] = lambda _: 1,
        clock: Callable[[], float] = time.monotonic,
        on_lookup: CacheLookup = no_op,
    ) -> None:
        self._ttl, self._size, self._clock, self._on_lookup = ttl, size, clock, on_lookup
        self._weigh, self._weight = weigh, 0
        self._rows: OrderedDict[K, tuple[float, V]] = OrderedDict()
        self._flights: dict[K, asyncio.Task[V]] = {}

    def get(self, key: K) -> V | None:
        row = self._rows.get(key)
        if row is not None and row[0] > self._clock():
            return row[1]
        self._drop(key)
        return None

    def put(self, key: K, value: V) -> None:
        self._drop(key)
        self._rows[key] = (self._clock() + self._ttl, value)
        self._weight += self._weigh(value)
        while self._weight > self._size:
            self._drop(next(iter(self._rows)))

    def forget(self, key: K) -> None:
        """Neither what is kept nor what is being computed is the value any more."""
        self._drop(key)
        self._flights.pop(key, None)

    def _drop(self, key: K) -> None:
        if (row := self._rows.pop(key, None)) is not None:
            self._weight -= self._weigh(row[1])

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
        current = self._flights.get(key) is done
        if current:
            del self._flights[key]
        # A failure is seen here, so that a caller who left does not leave a warning behind.
        if not done.cancelled() and done.exception() is None and current:
            self.put(key, done.result())
