"""Several workers under uvicorn's supervisor: one that dies or hangs is replaced, and on SIGHUP all are, one by one.

uvicorn starts, asks and replaces the processes. Added here: the server of this project in each worker, a port that is
left without losing a connection, an end that takes a bounded time, and a note of each worker that was lost.
"""

import math
import os
import signal
import socket
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from multiprocessing.connection import wait
from pathlib import Path
from types import FrameType

import structlog
from uvicorn import Config
from uvicorn.config import STARTUP_FAILURE
from uvicorn.supervisors.multiprocess import Multiprocess, Process

from app.metrics.shared_folder import forget_gauges, note_loss
from app.process.server import RETIRE, AcceptTracker, Server

CLOSE_MARGIN_SECONDS = 2.0
"""After the notice, for the last worker to close the port; then the supervisor closes it, in case a worker hangs."""

READY_SECONDS = 60.0
"""For a new process to import everything and serve, on a machine that may be busy."""

POLL_SECONDS = 0.1

ENDS = frozenset({signal.SIGTERM, signal.SIGINT})

log = structlog.get_logger(__name__)


class Worker(Process):
    """One worker process. `accepting` is shared by all that serve the same port."""

    def __init__(self, config: Config, sockets: list[socket.socket], accepting: AcceptTracker) -> None:
        self._accepting = accepting
        self._has_answered = False
        super().__init__(config, sockets)

    @property
    def server(self) -> Server:
        """The server of this process; made in the worker, never in the supervisor."""
        if not isinstance(self._server, Server):
            self._server = Server(self.config, self._accepting)
        return self._server

    def target(self, sockets: list[socket.socket] | None = None) -> None:
        """What the worker process runs."""
        for number in (signal.SIGTERM, RETIRE):
            if number is not None:
                signal.signal(number, end)
        with suppress(KeyboardInterrupt):
            super().target(sockets)

    def pong(self) -> None:
        """Answer one health check, but not while the event loop is stuck: silence is what gets a worker replaced."""
        self.child_conn.recv()
        while self.server.is_stuck:
            time.sleep(POLL_SECONDS)
        self.child_conn.send(self.server.is_open)

    def start(self) -> None:
        super().start()
        self.child_conn.close()  # it has its own: without this one, the pipe ends with the worker

    def _healthcheck(self, timeout: float) -> bool | None:
        """Whether it serves; None where it is dead or does not answer. The first answer may take as long as a start."""
        serves = super()._healthcheck(timeout if self._has_answered else READY_SECONDS)
        self._has_answered = self._has_answered or serves is not None
        return serves

    def is_decided(self) -> bool:
        """Whether it serves, or never will."""
        return self.has_ended() or self.is_ready()

    def has_ended(self) -> bool:
        return self.exitcode is not None

    def retire(self) -> None:
        """End it while the others go on accepting."""
        if self.pid is not None and self.exitcode is None:
            with suppress(ProcessLookupError):
                os.kill(self.pid, RETIRE or signal.SIGTERM)


class Supervisor(Multiprocess):
    """Keeps `config.workers` processes serving `sockets`, until it is told to end or none of them can start.

    `notice_seconds` is how long workers go on accepting after SIGTERM; one that takes longer than `end_seconds` to end
    is killed. `metrics_folder` is where workers count together.
    """

    def __init__(
        self,
        config: Config,
        sockets: Sequence[socket.socket],
        notice_seconds: float,
        end_seconds: float = math.inf,
        metrics_folder: Path | None = None,
    ) -> None:
        super().__init__(config, list(sockets))
        self._notice, self._end_seconds, self._metrics_folder = notice_seconds, end_seconds, metrics_folder
        self._accepting = AcceptTracker()
        self.processes: list[Worker] = []  # type: ignore[assignment]  # those of uvicorn, with a server of ours
        self.failed = False

    def init_processes(self) -> None:
        """Start all workers."""
        self.processes = [self._start() for _ in range(self.processes_num)]

    def _start(self) -> Worker:
        worker = Worker(self.config, self.sockets, self._accepting)
        worker.start()
        return worker

    def keep_subprocess_alive(self) -> None:
        """Replace workers that have died or do not answer."""
        for index, worker in enumerate(self.processes):
            if self.should_exit.is_set() or worker.is_alive(timeout=self.config.timeout_worker_healthcheck):
                continue
            worker.kill()
            worker.join()
            log.error("worker_lost", worker=worker.pid, exit_code=worker.exitcode)
            self._forget(worker, is_lost=True)
            if worker.exitcode == STARTUP_FAILURE and not any(w.exitcode is None for w in self.processes):
                self.failed = True
                self.should_exit.set()
                return
            try:
                self.processes[index] = self._start()
            except OSError as fault:  # no descriptor or process is left now; the next turn tries again
                log.warning("worker_not_started", reason=str(fault))

    def restart_all(self) -> None:
        """Replace each worker by one that serves already; where that fails, the old ones stay."""
        for index, old in enumerate(self.processes):
            new = self._start()
            self._until(new.is_decided, READY_SECONDS)
            if not new.is_ready():
                log.error("restart_given_up", worker=new.pid, stays=old.pid)
                new.kill()
                new.join()
                return
            self.processes[index] = new
            old.retire()
            if not self._until(old.has_ended, self._end_seconds):
                self.processes.append(old)  # so that it ends with the others
                return
            self._forget(old)

    def _until(self, is_so: Callable[[], bool], seconds: float) -> bool:
        """Wait for it, as long as nobody wants the end."""
        until = time.monotonic() + seconds
        while time.monotonic() < until and ENDS.isdisjoint(self.signal_queue):
            if is_so():
                return True
            time.sleep(POLL_SECONDS)
        return False

    def terminate_all(self) -> None:
        """Tell all workers to end."""
        # Before they are told: the last of them closes the port, and this says that the supervisor is not the last.
        self._accepting.stop()
        super().terminate_all()

    def join_all(self) -> None:
        """Wait for the workers' ends; a second signal makes them hurry, and one that hangs is killed."""
        now = time.monotonic()
        closes_at, kills_at = now + self._notice + CLOSE_MARGIN_SECONDS, now + self._end_seconds
        while running := [worker for worker in self.processes if worker.exitcode is None]:
            wait([worker.process.sentinel for worker in running], POLL_SECONDS)
            if self.signal_queue:
                self.signal_queue.clear()
                super().terminate_all()
            if time.monotonic() > closes_at:
                self._close_port()
            if time.monotonic() > kills_at:
                for worker in running:
                    log.error("worker_did_not_end", worker=worker.pid)
                    worker.kill()
        self._close_port()

    def _close_port(self) -> None:
        """Nobody waits at the port for an answer that never comes; a proxy asks the next host."""
        for listener in self.sockets:
            with suppress(OSError):  # the last worker has done it
                listener.shutdown(socket.SHUT_RDWR)

    def _forget(self, worker: Worker, *, is_lost: bool = False) -> None:
        """Drop the gauges of a worker that has ended; what it counted stays."""
        if worker.pid is None or self._metrics_folder is None:
            return
        try:
            forget_gauges(self._metrics_folder, worker.pid)
            if is_lost:
                note_loss(self._metrics_folder, worker.pid)
        except OSError as fault:  # the folder is gone, or the disk is full: no reason to leave the workers alone
            log.warning("worker_loss_not_noted", worker=worker.pid, reason=str(fault))


def end(_number: int, _frame: FrameType | None) -> None:
    """End with 0: uvicorn, when it has finished, raises the signal that ended it once more, as if it had failed."""
    sys.exit(0)
