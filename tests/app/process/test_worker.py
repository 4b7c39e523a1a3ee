"""A worker says that it is well while it is, and one that says nothing is ended."""

import os
import signal
import socket
import threading
import time
from collections.abc import Callable, Sequence
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from types import SimpleNamespace
from typing import Any

import pytest
import uvicorn

from app.process import worker
from app.process.server import Door
from app.process.worker import Worker, answer
from tests.edge import PATIENCE


def ready(_config: uvicorn.Config, _sockets: Sequence[socket.socket], _door: Door, line: Connection) -> None:
    """A worker that serves from the beginning."""
    while True:
        line.recv()
        line.send(True)


def silent(_config: uvicorn.Config, _sockets: Sequence[socket.socket], _door: Door, line: Connection) -> None:
    """A worker that never says a word."""
    line.recv()
    signal.pause()


def stubborn(_config: uvicorn.Config, _sockets: Sequence[socket.socket], _door: Door, line: Connection) -> None:
    """A worker that is well and does not end."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    while True:
        line.recv()
        line.send(True)


def looked_at(one: Worker, until: Any) -> bool:
    deadline = time.monotonic() + PATIENCE
    while not until() and time.monotonic() < deadline:
        one.look()
        os.sched_yield()
    return bool(until())


def test_a_worker_is_ready_when_it_says_so_and_dead_when_it_stops_saying_it() -> None:
    one = Worker(uvicorn.Config("app", timeout_worker_healthcheck=1), [], Door(), ready)

    began = looked_at(one, lambda: one.is_ready)
    os.kill(one.pid or 0, signal.SIGSTOP)
    ended = looked_at(one, lambda: one.exit_code is not None)
    one.close()

    assert (began, ended, one.exit_code) == (True, True, -signal.SIGKILL)


def test_a_process_that_never_says_a_word_is_ended(monkeypatch: Any) -> None:
    monkeypatch.setattr(worker, "BOOT_SECONDS", 0.1)
    one = Worker(uvicorn.Config("app"), [], Door(), silent)

    ended = looked_at(one, lambda: one.exit_code is not None)
    one.close()

    assert (ended, one.is_ready, one.leaves) == (True, False, False)


@pytest.mark.parametrize("told", [Worker.end, Worker.retire])
def test_one_that_was_told_to_end_and_does_not_is_ended(told: Callable[[Worker], None]) -> None:
    one = Worker(uvicorn.Config("app"), [], Door(), stubborn, may_take=0.1)

    began = looked_at(one, lambda: one.is_ready)
    told(one)
    ended = looked_at(one, lambda: one.exit_code is not None)
    one.close()

    assert (began, ended, one.exit_code) == (True, True, -signal.SIGKILL)


def test_one_that_is_stuck_says_nothing_until_it_is_not(monkeypatch: Any) -> None:
    monkeypatch.setattr(worker, "ASK_SECONDS", 0.01)
    server: Any = SimpleNamespace(is_open=True, is_stuck=True)
    ours, theirs = Pipe()
    threading.Thread(target=answer, args=(server, theirs), daemon=True).start()

    ours.send(None)
    while_stuck = ours.poll(0.2)
    server.is_stuck = False

    assert while_stuck is False
    assert ours.poll(PATIENCE)
    assert ours.recv() is True
    ours.close()
