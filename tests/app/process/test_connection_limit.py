"""Which connection is evicted for another, and how many descriptors a process may use."""

import subprocess
import sys
from asyncio import BaseTransport

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.process.connection_limit import RESERVE, ConnectionRegistry, room
from tests.processes import ROOT, environment


class FakeConnection(BaseTransport):
    def __init__(self) -> None:
        super().__init__()
        self.evicted = False

    def close(self) -> None:
        self.evicted = True


def test_the_longest_idle_goes_for_a_new_one() -> None:
    registry, connections = ConnectionRegistry(2), [FakeConnection() for _ in range(4)]

    assert all(registry.admit(connection) for connection in connections)

    assert [connection.evicted for connection in connections] == [True, True, False, False]
    assert len(registry._open) == 2


def test_what_is_at_work_stays_and_a_new_one_is_refused() -> None:
    registry, first, second, third = ConnectionRegistry(2), FakeConnection(), FakeConnection(), FakeConnection()
    for connection in (first, second):
        registry.admit(connection)
        registry.busy(connection)

    assert not registry.admit(third)
    registry.idle(second)
    assert registry.admit(third)
    assert [first.evicted, second.evicted] == [False, True]


def test_whoever_left_counts_no_more_and_never_rests() -> None:
    registry, first, second = ConnectionRegistry(1), FakeConnection(), FakeConnection()
    registry.admit(first)
    registry.busy(first)

    registry.remove(first)
    registry.idle(first)

    assert registry.admit(second)
    assert not first.evicted
    assert len(registry._open) == 1


@given(st.lists(st.tuples(st.sampled_from(["admit", "busy", "idle", "remove"]), st.integers(0, 9)), max_size=60))
def test_there_are_never_more_than_the_limit(steps: list[tuple[str, int]]) -> None:
    registry, connections = ConnectionRegistry(3), [FakeConnection() for _ in range(10)]
    for step, number in steps:
        getattr(registry, step)(connections[number])

        assert len(registry._open) <= 3
        assert set(registry._idle) <= registry._open


def test_descriptors_are_kept_for_everything_else() -> None:
    assert room(4_000, 65_536) == 4_000
    assert room(4_000, 1_024) == 1_024 - RESERVE
    assert room(4_000, 256) == 128
    assert room(4_000, 1) == 1


ASK = """
import resource, sys
soft, hard = int(sys.argv[1]), int(sys.argv[2])
resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
from app.process.connection_limit import descriptors
print(descriptors(), resource.getrlimit(resource.RLIMIT_NOFILE)[0])
"""


@pytest.mark.parametrize(("soft", "hard", "expected"), [(128, 512, 512), (256, 256, 256)])
def test_the_limit_is_raised_as_far_as_it_may_be(soft: int, hard: int, expected: int) -> None:
    said = subprocess.run(
        [sys.executable, "-c", ASK, str(soft), str(hard)], cwd=ROOT, env=environment(), capture_output=True, check=True
    )

    assert said.stdout.split() == [str(expected).encode()] * 2
