"""A worker learns that its supervisor has died, and only then."""

import os
import signal
import socket
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import pytest
import uvicorn
from uvicorn.config import STARTUP_FAILURE

from app import supervision
from app.supervision import Supervisor, end_with
from tests.edge import PATIENCE


@dataclass
class Parent:
    """What a worker sees of the process that started it: a pipe whose other end closes with it."""

    sentinel: int
    life: int

    def die(self) -> None:
        os.close(self.life)


@pytest.fixture
def supervisor() -> Iterator[Any]:
    sentinel, life = os.pipe()
    yield Parent(sentinel, life)
    os.close(sentinel)


def test_a_worker_ends_when_its_supervisor_has_died_and_not_before(supervisor: Any) -> None:
    ended = threading.Event()

    end_with(supervisor, ended.set)
    before = ended.is_set()
    supervisor.die()

    assert ended.wait(PATIENCE)
    assert before is False


def test_a_process_without_a_supervisor_waits_for_nobody() -> None:
    threads = threading.active_count()

    end_with(None, lambda: pytest.fail("nobody died"))

    assert threading.active_count() == threads


@pytest.fixture
def listener() -> Iterator[socket.socket]:
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        bound.listen()
        yield bound


@pytest.fixture
def over(listener: socket.socket, monkeypatch: pytest.MonkeyPatch) -> Iterator[Supervisor]:
    """A supervisor with no worker left. What it does to the signals of this process is undone."""
    before = {number: signal.getsignal(number) for number in supervision_signals()}
    monkeypatch.setattr(supervision, "MARGIN_SECONDS", 0)
    yield Supervisor(uvicorn.Config("app", workers=2), [listener], notice_seconds=0)
    for number, handler in before.items():
        signal.signal(number, handler)


def supervision_signals() -> list[signal.Signals]:
    names = ("INT", "TERM", "HUP", "QUIT", "TTIN", "TTOU", "USR1", "USR2", "WINCH")
    return [getattr(signal, f"SIG{name}") for name in names]


def test_whoever_connects_after_the_notice_is_refused_and_not_kept_waiting(
    over: Supervisor, listener: socket.socket
) -> None:
    address = listener.getsockname()
    socket.create_connection(address).close()

    over.join_all()

    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(address)


def test_a_worker_that_could_not_start_is_remembered(over: Supervisor) -> None:
    before = over.failed
    over.processes = [SimpleNamespace(exitcode=STARTUP_FAILURE)]  # type: ignore[list-item]  # all that is looked at

    assert (before, over.failed) == (False, True)
