"""What exists when serving begins is not collected again; what comes later is."""

import gc
import weakref
from collections.abc import Iterator

import pytest

from mcp_server.observability.gc_tuning import settle


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
