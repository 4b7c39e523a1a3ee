"""One of several workers: a process that serves a port it was handed, and says when it is asked that it is well."""

import math
import multiprocessing
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from multiprocessing.connection import Connection
from socket import socket
from types import FrameType

import structlog
from uvicorn import Config

from app.process.server import RETIRE, Door, Server

ASK_SECONDS = 0.5
"""Between two questions whether a worker is well."""

BOOT_SECONDS = 60.0
"""For a new process to say its first word: it imports everything first, on a machine that may be busy."""

_SPAWN = multiprocessing.get_context("spawn")

log = structlog.get_logger(__name__)

Work = Callable[[Config, Sequence[socket], Door, Connection], None]
"""What a worker does, in its process."""


class Worker:
    """What the supervisor knows of a worker, which `may_take` so many seconds to end when it is told to.

    Attributes:
        is_ready: it has begun to serve.
        leaves: it was told to end.

    Raises:
        OSError: the system does not start a process, or has no descriptor left for one.

    """

    def __init__(
        self,
        config: Config,
        sockets: Sequence[socket],
        door: Door,
        work: Work | None = None,
        may_take: float = math.inf,
    ) -> None:
        self._line, theirs = _SPAWN.Pipe()
        self._process = _SPAWN.Process(target=work or serve, args=(config, sockets, door, theirs))
        self._patience = float(config.timeout_worker_healthcheck)
        self._may_take, self._must_leave_by = may_take, math.inf
        self.is_ready, self.leaves = False, False
        try:
            self._process.start()
        except OSError:
            self._line.close()
            raise
        finally:
            theirs.close()
        self._asked = time.monotonic()
        self._must_answer_by: float | None = self._asked + BOOT_SECONDS
        with suppress(OSError):  # it has ended already, as its sentinel says
            self._line.send(None)

    @property
    def pid(self) -> int | None:
        return self._process.pid

    @property
    def sentinel(self) -> int:
        """Readable when the process has ended."""
        return self._process.sentinel

    @property
    def exit_code(self) -> int | None:
        """None while it is alive."""
        return self._process.exitcode

    def look(self) -> None:
        """Hear whether it is well, and ask again; kill one that is not."""
        now = time.monotonic()
        with suppress(OSError, EOFError):  # it has ended, as its sentinel says
            while self._line.poll():
                self.is_ready = self._line.recv()
                self._must_answer_by = None
            if self._must_answer_by is None and now - self._asked >= ASK_SECONDS:
                self._asked, self._must_answer_by = now, now + self._patience
                self._line.send(None)
        if now > self._must_leave_by:
            log.error("worker_did_not_end", worker=self.pid)
            self._process.kill()
        elif self._must_answer_by is not None and now > self._must_answer_by:
            self._process.kill()

    def end(self) -> None:
        """As an orderly end of everything: after the notice, and with the port."""
        self._leave()
        self._process.terminate()

    def retire(self) -> None:
        """End alone: the others let people in."""
        self._leave()
        self._tell(RETIRE or signal.SIGTERM)

    def give_up(self) -> None:
        """End it at once."""
        self.leaves = True
        self._process.kill()

    def close(self) -> None:
        """After it has ended."""
        self._process.join()
        self._line.close()

    def _leave(self) -> None:
        # Told a second time, it has no longer than it had.
        self.leaves = True
        self._must_leave_by = min(self._must_leave_by, time.monotonic() + self._may_take)

    def _tell(self, number: int) -> None:
        pid = self._process.pid
        if pid is not None and self._process.exitcode is None:
            with suppress(ProcessLookupError):
                os.kill(pid, number)


def serve(config: Config, sockets: Sequence[socket], door: Door, line: Connection) -> None:
    """The life of a worker."""
    for number in (signal.SIGTERM, RETIRE):
        if number is not None:
            signal.signal(number, end)
    server = Server(config, door)
    threading.Thread(target=answer, args=(server, line), name="well", daemon=True).start()
    with suppress(KeyboardInterrupt):
        server.run(list(sockets))


def answer(server: Server, line: Connection) -> None:
    """Say to whoever asks whether `server` serves, and nothing while it is stuck."""
    with suppress(OSError, EOFError):  # the supervisor is no more
        while True:
            line.recv()
            while server.is_stuck:
                time.sleep(ASK_SECONDS)
            line.send(server.is_open)


def end(_number: int, _frame: FrameType | None) -> None:
    """End with 0: uvicorn, when it has finished, raises the signal that ended it once more, as if it had failed."""
    sys.exit(0)
