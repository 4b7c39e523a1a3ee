"""The collector is paused while a process starts, and does not look again at what exists then."""

import gc
from collections.abc import Iterator

import pytest

from mcp_server.observability.gc_tuning import freeze, paused


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

    freeze()

    assert gc.get_freeze_count() > 0
    assert not any(kept is each for each in gc.get_objects())


def test_it_is_paused_while_something_is_imported_whatever_happens() -> None:
    was_paused = []

    def fail() -> None:
        with paused(), paused():
            was_paused.append(not gc.isenabled())
            raise ImportError

    with pytest.raises(ImportError):
        fail()

    assert (was_paused, gc.isenabled()) == ([True], True)


def test_what_was_imported_is_not_looked_at_when_the_pause_ends() -> None:
    with paused():
        kept = Node()

    assert not any(kept is each for each in gc.get_objects())
