"""Short lists that expire, such as the turns of a conversation: of one process, or of all where they share a store."""

import time
from collections.abc import Callable, Sequence
from typing import Protocol

from mcp_server.toolkit.cache import TtlCache

MOST_BYTES = 32 * 1024 * 1024
"""Of all lists of a process; those that were longest without an addition go first."""


class SharedLists(Protocol):
    """Lists of bytes by a key. An addition is whole, and none is lost in another."""

    async def read(self, key: str) -> Sequence[bytes]:
        """The oldest first; empty where there is none, or where it cannot be had."""
        ...

    async def add(self, key: str, value: bytes, most: int, seconds: float) -> bool:
        """Add to the end, and say whether it could be. The last `most` are kept, for `seconds` from now on."""
        ...

    async def clear(self, key: str) -> None:
        """Raises `ServiceUnavailable`: it cannot be done now."""
        ...


class MemoryLists:
    """Those of one process. `seconds` is for how long each is kept after an addition."""

    def __init__(self, seconds: float, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._lists: TtlCache[str, tuple[bytes, ...]] = TtlCache(
            seconds, size=MOST_BYTES, weigh=lambda values: sum(map(len, values)) + 1_000, clock=clock
        )

    async def read(self, key: str) -> Sequence[bytes]:
        return self._lists.get(key) or ()

    async def add(self, key: str, value: bytes, most: int, seconds: float) -> bool:  # noqa: ARG002  one for all here
        self._lists.put(key, (*(await self.read(key)), value)[-most:])
        return True

    async def clear(self, key: str) -> None:
        self._lists.forget(key)
