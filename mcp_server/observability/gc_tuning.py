"""The garbage collector at the start of a process. It imports nothing of the server, for the commands' sake."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


def freeze() -> None:
    """Set everything that exists when a process begins to serve apart from what is collected.

    A full collection looks at every object, and all of a server wait for it. Most objects are classes, statements and
    schemas that were made once: with them it takes some 150 ms, without them a few. Nothing is
    collected before: nearly nothing is garbage then.
    """
    gc.freeze()


@contextmanager
def paused() -> Iterator[None]:
    """Pause the collector while modules are imported, and set them apart: nearly nothing of them is garbage.

    It would look at all classes and schemas again and again as they become more: a sixth of the time of a start.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            freeze()  # or the next look would be at all of them, because they are young
            gc.enable()
