"""What exists when serving begins is not collected again; what comes later is."""

import gc
import weakref
from collections.abc import Iterator

import pytest

from mcp_server.memory import growing, settle


@pytest.fixture(autouse=True)
def thawed() -> Iterator[None]:
    yield
    gc.unfreeze()


class Node:
    """Something in a cycle."""

    def __init__(self) -> None:
        self.itself = self


def test_what_exists_is_set_apart() -> None:
    kept = Node()

    settle()

    assert gc.get_freeze_count() > 0
    assert not any(kept is each for each in gc.get_objects())


def test_garbage_is_collected_before_and_after() -> None:
    before = weakref.ref(Node())
    settle()
    after = weakref.ref(Node())
    gc.collect()

    assert (before(), after()) == (None, None)


def test_the_collector_rests_while_something_grows_and_works_afterwards_whatever_happens() -> None:
    rested = []

    def fail() -> None:
        with growing():
            rested.append(not gc.isenabled())
            raise ImportError

    with pytest.raises(ImportError):
        fail()

    assert (rested, gc.isenabled()) == ([True], True)


def test_a_collector_that_rested_before_rests_on() -> None:
    with growing():
        with growing():
            pass

        assert not gc.isenabled()
