"""The bound on a process's open connections: what it is, and which idle connection is evicted for a new one."""

import sys
from asyncio import BaseTransport
from collections import OrderedDict

RESERVE = 128
"""File descriptors for all that is no connection of a client: databases, upstreams, logs, files."""


class ConnectionRegistry:
    """At most `limit` open connections. For a new one the connection that is idle longest is evicted.

    So thousands of idle connections keep no client out; a new one is refused only where all are busy.
    """

    def __init__(self, limit: int = 4_000) -> None:
        self.limit = limit
        self._open: set[BaseTransport] = set()
        self._idle: OrderedDict[BaseTransport, None] = OrderedDict()

    def admit(self, connection: BaseTransport) -> bool:
        """Register it; False where the limit is reached and none is idle."""
        if len(self._open) >= self.limit:
            if not self._idle:
                return False
            oldest, _ = self._idle.popitem(last=False)
            self._open.discard(oldest)
            oldest.close()
        self._open.add(connection)
        self._idle[connection] = None
        return True

    def busy(self, connection: BaseTransport) -> None:
        """It has a request to be answered."""
        self._idle.pop(connection, None)

    def idle(self, connection: BaseTransport) -> None:
        """Its request is answered."""
        if connection in self._open:
            self._idle[connection] = None

    def remove(self, connection: BaseTransport) -> None:
        """It is closed."""
        self._idle.pop(connection, None)
        self._open.discard(connection)


def room(wanted: int, descriptors: int) -> int:
    """How many connections fit beside everything else where a process may have so many `descriptors`."""
    reserve = min(RESERVE, descriptors // 2)
    return max(1, min(wanted, descriptors - reserve))


if sys.platform == "win32":

    def descriptors() -> int:
        """There is no such limit to ask for."""
        return 8_192

else:
    import resource

    ENOUGH = 65_536

    def descriptors() -> int:
        """The limit of open files, raised first as far as it may be: a shell's default of 1,024 is too low."""
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        wanted = ENOUGH if hard == resource.RLIM_INFINITY else min(hard, ENOUGH)
        if soft != resource.RLIM_INFINITY and soft < wanted:
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
            return wanted
        return ENOUGH if soft == resource.RLIM_INFINITY else soft
