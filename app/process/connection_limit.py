"""How many connections a process has open, and which of them goes when there is no room for another. Pure."""

from collections import OrderedDict
from typing import Protocol

RESERVE = 128
"""File descriptors for all that is no connection of a client: databases, the way out, logs, files."""


class Guest(Protocol):
    """A connection."""

    def give_way(self) -> None:
        """End now: nothing is asked on it."""
        ...


class Crowd:
    """At most `limit` connections. One that waits for a request goes for a new one, the longest idle first.

    So whoever opens thousands and asks nothing keeps nobody out; a new one is refused only where all are at work.
    """

    def __init__(self, limit: int = 4_000) -> None:
        self.limit = limit
        self._open: set[Guest] = set()
        self._idle: OrderedDict[Guest, None] = OrderedDict()

    def __len__(self) -> int:
        return len(self._open)

    def admit(self, guest: Guest) -> bool:
        """Whether there is room, after somebody has perhaps made some."""
        if len(self._open) >= self.limit and not self._make_room():
            return False
        self._open.add(guest)
        self._idle[guest] = None
        return True

    def work(self, guest: Guest) -> None:
        """`guest` has a request to be answered."""
        self._idle.pop(guest, None)

    def rest(self, guest: Guest) -> None:
        """`guest` was answered, and may ask again."""
        if guest in self._open:
            self._idle[guest] = None

    def leave(self, guest: Guest) -> None:
        """`guest` is gone."""
        self._idle.pop(guest, None)
        self._open.discard(guest)

    def _make_room(self) -> bool:
        if not self._idle:
            return False
        oldest, _ = self._idle.popitem(last=False)
        self._open.discard(oldest)
        oldest.give_way()
        return True


def room(wanted: int, descriptors: int) -> int:
    """How many connections fit beside everything else where a process may have so many `descriptors`."""
    reserve = min(RESERVE, descriptors // 2)
    return max(1, min(wanted, descriptors - reserve))
