"""A worker process ends with the process that started it: a killed supervisor leaves nobody behind on the port."""

import os
import signal
import threading
from collections.abc import Callable
from multiprocessing.connection import wait
from multiprocessing.process import BaseProcess


def _terminate() -> None:
    os.kill(os.getpid(), signal.SIGTERM)


def end_with(parent: BaseProcess | None, end: Callable[[], None] = _terminate) -> None:
    """Call `end` when `parent` has died, however it died; a process that nobody started has none to wait for."""
    if parent is None:
        return
    sentinel = parent.sentinel

    def follow() -> None:
        wait([sentinel])
        end()

    threading.Thread(target=follow, name="supervisor", daemon=True).start()
