"""Pauses the garbage collector while modules are imported. It imports nothing of the server, for the commands' sake."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def paused() -> Iterator[None]:
    """Pause the collector while modules are imported: nearly nothing of them is garbage.

    It would look at all classes and schemas again and again as they become more: a sixth of the time of a start.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
