"""Several workers and who watches over them.

A worker that dies or hangs is replaced; one that ends with its supervisor, however that died, leaves nobody behind on
the port. Told to, the supervisor replaces all of them, one after the other.
"""

import math
import os
import signal
import socket
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from multiprocessing.connection import wait
from multiprocessing.process import BaseProcess

import structlog
from uvicorn import Config
from uvicorn.config import STARTUP_FAILURE

from app.process.server import RETIRE, Door
from app.process.worker import ASK_SECONDS, Worker

MARGIN_SECONDS = 2.0
"""After the notice, for the last worker to close the port; then the supervisor does, for one that hangs."""

READY_SECONDS = 60.0
"""For a new worker to take the place of an old one; otherwise the old one stays."""

PAUSE_SECONDS = 1.0
"""Before another worker is started in the place of one that never served, or that the system did not start."""

ENDS = (signal.SIGTERM, signal.SIGINT)

log = structlog.get_logger(__name__)


class Supervisor:
    """Keeps `config.workers` processes at work on `sockets`, until it is told to end or none of them can start.

    `notice_seconds` is how long the workers go on letting people in after they were told. `lost` is told the number of
    each process that ended without being told to. `end_seconds` is what a worker may take from being told to its end;
    one that takes longer is killed.
    """

    def __init__(
        self,
        config: Config,
        sockets: Sequence[socket.socket],
        notice_seconds: float,
        lost: Callable[[int], None] | None = None,
        end_seconds: float = math.inf,
    ) -> None:
        self._config, self._sockets = config, list(sockets)
        self._notice, self._lost, self._end_seconds = notice_seconds, lost, end_seconds
        self._door = Door()
        self.workers: list[Worker] = []
        self._old: deque[Worker] = deque()
        self._successor: tuple[Worker, float] | None = None
        self._not_before = 0.0
        self._closes_at: float | None = None
        self.failed = False

    def run(self) -> None:
        """Until all workers have ended."""
        with _signals() as told:
            log.info("supervisor_started", workers=self._config.workers)
            self._restore()
            while self.workers or not self._ends:
                wait([told, *(worker.sentinel for worker in self.workers)], ASK_SECONDS)
                for number in _heard(told):
                    self._obey(number)
                self._look()
            self._close()

    @property
    def _ends(self) -> bool:
        return self._closes_at is not None

    def _obey(self, number: int) -> None:
        if number in ENDS:
            self._end()
        elif number == RETIRE and not self._ends:
            log.info("workers_replaced_one_by_one")
            # One that is on its way into somebody's place comes last: it goes on with that first.
            self._old = deque(worker for worker in self.workers if not worker.leaves)
            if self._successor is not None and self._successor[0] in self._old:
                self._old.remove(self._successor[0])
                self._old.append(self._successor[0])

    def _end(self) -> None:
        """Also a second time: the workers do not wait any longer then."""
        if self._closes_at is None:
            # Before the workers are told: the last of them closes the port, and this says that others do not stay.
            self._door.leave()
            self._closes_at = time.monotonic() + self._notice + MARGIN_SECONDS
        for worker in self.workers:
            worker.end()

    def _look(self) -> None:
        for worker in list(self.workers):
            if worker.exit_code is None:
                worker.look()
            else:
                self._ended(worker)
        if not self._ends:
            self._replace()
            self._restore()
        elif self._closes_at is not None and time.monotonic() > self._closes_at:
            self._close()

    def _ended(self, worker: Worker) -> None:
        worker.close()
        self.workers.remove(worker)
        if worker.leaves:
            log.info("worker_ended", worker=worker.pid, exit_code=worker.exit_code)
            return
        log.error("worker_lost", worker=worker.pid, exit_code=worker.exit_code)
        self._note_loss(worker)
        if not worker.is_ready:
            self._not_before = time.monotonic() + PAUSE_SECONDS
        if worker.exit_code == STARTUP_FAILURE and not any(other.is_ready for other in self.workers):
            self.failed = True
            self._end()

    def _note_loss(self, worker: Worker) -> None:
        if self._lost is None or worker.pid is None:
            return
        try:
            self._lost(worker.pid)
        except OSError as fault:  # its folder is gone, or the disk is full: no reason to leave the workers alone
            log.warning("worker_loss_not_noted", worker=worker.pid, reason=str(fault))

    def _restore(self) -> None:
        """As many as there should be. Beside a successor there is one more, until it is ready."""
        missing = (self._config.workers or 1) - sum(not worker.leaves for worker in self.workers)
        for _ in range(missing):
            self._start()

    def _start(self) -> Worker | None:
        """None when it is too early for another try, or the system has no room for one more process now."""
        if time.monotonic() < self._not_before:
            return None
        try:
            worker = Worker(self._config, self._sockets, self._door, may_take=self._end_seconds)
        except OSError as fault:
            log.warning("worker_not_started", reason=str(fault))
            self._not_before = time.monotonic() + PAUSE_SECONDS
            return None
        self.workers.append(worker)
        return worker

    def _replace(self) -> None:
        """The next step: a new worker is started, an old one is told to go when that is ready, and has gone."""
        while self._old and self._old[0] not in self.workers:
            self._old.popleft()
            self._successor = None
        if not self._old or self._old[0].leaves:
            return
        if self._successor is None:
            started = self._start()
            self._successor = (started, time.monotonic() + READY_SECONDS) if started is not None else None
            return
        successor, late = self._successor
        if successor.is_ready:
            self._old[0].retire()
            self._successor = None
        elif successor not in self.workers or time.monotonic() > late:
            log.error("restart_given_up", worker=successor.pid, stays=self._old[0].pid)
            successor.give_up()
            self._successor = None
            self._old.clear()

    def _close(self) -> None:
        """Nobody waits at the port for an answer that never comes; a proxy asks the next host."""
        for listener in self._sockets:
            with suppress(OSError):  # the last worker has done it
                listener.shutdown(socket.SHUT_RDWR)


@contextmanager
def _signals() -> Iterator[socket.socket]:
    """Where to read, byte by byte, which of them came. Handlers do nothing: they may interrupt anything."""
    told, tell = socket.socketpair()
    told.setblocking(False)  # noqa: FBT003  # its one parameter
    tell.setblocking(False)  # noqa: FBT003  # the same
    numbers = [*ENDS, *([RETIRE] if RETIRE is not None else [])]
    wakened = signal.set_wakeup_fd(tell.fileno(), warn_on_full_buffer=False)
    before = {number: signal.signal(number, lambda _number, _frame: None) for number in numbers}
    try:
        yield told
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        signal.set_wakeup_fd(wakened)
        told.close()
        tell.close()


def _heard(told: socket.socket) -> bytes:
    try:
        return told.recv(64)
    except BlockingIOError:
        return b""


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
