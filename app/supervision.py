"""Several workers and who watches over them.

A worker that dies is replaced; one that ends with its supervisor, however that died, leaves nobody behind on the port.
"""

import os
import signal
import socket
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from multiprocessing.connection import wait
from multiprocessing.process import BaseProcess

from uvicorn import Config
from uvicorn.config import STARTUP_FAILURE
from uvicorn.supervisors import Multiprocess

MARGIN_SECONDS = 0.3
"""For workers to stop accepting after the notice: they look ten times a second."""


class Supervisor(Multiprocess):
    """uvicorn's, which goes on listening while its workers finish: whoever connects then waits for an answer that never
    comes. Here they are refused as soon as nobody accepts any more, and a proxy asks the next host.
    """

    def __init__(self, config: Config, sockets: Sequence[socket.socket], notice_seconds: float) -> None:
        super().__init__(config, list(sockets))
        self._notice = notice_seconds

    @property
    def failed(self) -> bool:
        """Whether it ended because a worker could not even start."""
        return any(process.exitcode == STARTUP_FAILURE for process in self.processes)

    def join_all(self) -> None:
        if not self.failed:
            time.sleep(self._notice + MARGIN_SECONDS)
        for listener in self.sockets:
            with suppress(OSError):  # not listening any more, on systems where that is an error
                listener.shutdown(socket.SHUT_RDWR)
        super().join_all()


def terminate() -> None:
    """End this process as if it had been told to."""
    os.kill(os.getpid(), signal.SIGTERM)


def end_with(parent: BaseProcess | None, end: Callable[[], None] = terminate) -> None:
    """Call `end` when `parent` has died, however it died; a process that nobody started has none to wait for."""
    if parent is None:
        return
    sentinel = parent.sentinel

    def follow() -> None:
        wait([sentinel])
        end()

    threading.Thread(target=follow, name="supervisor", daemon=True).start()
