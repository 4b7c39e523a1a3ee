"""Messages over TCP to a collector that acknowledges nothing, as syslog has it (RFC 6587).

That the system took the bytes does not say that anybody read them: what is written to a collector that has just ended
is gone, and no write fails. But its end of the connection is closed then, which can be seen before the next write. So
what was written a moment before is kept, and sent again over the next connection. It may come twice, and no more often.
"""

import socket
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence

SECONDS = 5.0
"""For connecting, and for each write."""

KEPT_SECONDS = 30.0
"""A connection that is open so long after a write has taken it."""

UNHEARD_SECONDS = 20
"""After which bytes that no peer confirms end the connection: its host is gone. Well below `KEPT_SECONDS`."""

MOST_KEPT = 8 * 1024 * 1024
"""Bytes."""

READ = 65_536


class Collector:
    """One connection at a time, opened when it is needed. Blocks; a second thread waits for the first.

    `most_kept` is in bytes.
    """

    def __init__(
        self, host: str, port: int, clock: Callable[[], float] = time.monotonic, *, most_kept: int = MOST_KEPT
    ) -> None:
        self._address, self._clock, self._most_kept = (host, port), clock, most_kept
        self._turn = threading.Lock()
        self._socket: socket.socket | None = None
        self._kept: deque[tuple[float, bytes]] = deque()
        self._bytes = 0

    def send(self, messages: Sequence[bytes]) -> None:
        """Write each after its length (RFC 6587 section 3.4.1), behind what the last connection may have lost.

        Raises:
            OSError: it cannot be reached. The messages count as not sent.

        """
        with self._turn:
            self._send(b"".join(b"%d %s" % (len(each), each) for each in messages))

    def end(self) -> None:
        """The last of all: send again what a collector that has gone may have lost, and close.

        Raises:
            OSError: it has gone, and its successor cannot be reached.

        """
        with self._turn:
            if self._socket is not None:
                self._send(b"")
            self.close()

    def close(self) -> None:
        """What is kept stays for the next connection."""
        if self._socket is not None:
            self._socket.close()
            self._socket = None

    def _send(self, data: bytes) -> None:
        try:
            self._open_socket().sendall(data)
        except OSError:
            self.close()
            raise
        self._keep(data)

    def _open_socket(self) -> socket.socket:
        if self._socket is not None and _is_open(self._socket):
            while self._kept and self._kept[0][0] < self._clock() - KEPT_SECONDS:
                self._forget_oldest()
            return self._socket
        self.close()
        made = self._socket = _connected(self._address)
        while self._kept:  # one by one: each has its own time, and what has gone a second time does not go a third
            made.sendall(self._kept[0][1])
            self._forget_oldest()
        return made

    def _keep(self, data: bytes) -> None:
        self._kept.append((self._clock(), data))
        self._bytes += len(data)
        while self._bytes > self._most_kept:
            self._forget_oldest()

    def _forget_oldest(self) -> None:
        self._bytes -= len(self._kept.popleft()[1])


def _connected(address: tuple[str, int]) -> socket.socket:
    made = socket.create_connection(address, SECONDS)
    if sys.platform == "linux":
        made.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, UNHEARD_SECONDS * 1000)
    return made


def _is_open(connection: socket.socket) -> bool:
    """Whether the peer has neither closed nor broken it. What it says is nothing that was asked for; unread, it would
    turn our close into a reset, which takes along what is still on its way.
    """
    connection.settimeout(0)
    try:
        said = connection.recv(READ)
    except BlockingIOError:
        return True
    except OSError:
        return False
    finally:
        connection.settimeout(SECONDS)
    return bool(said)
