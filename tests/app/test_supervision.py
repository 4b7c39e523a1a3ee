"""A worker learns that its supervisor has died, and only then."""

import os
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from app.supervision import end_with
from tests.edge import PATIENCE


@dataclass
class Supervisor:
    """What a worker sees of the process that started it: a pipe whose other end closes with it."""

    sentinel: int
    life: int

    def die(self) -> None:
        os.close(self.life)


@pytest.fixture
def supervisor() -> Iterator[Any]:
    sentinel, life = os.pipe()
    yield Supervisor(sentinel, life)
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
