"""The folder in which several workers count together, fresh for each run.

The metrics library is not imported here: it reads the variable once, when it is first imported.
"""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

VARIABLE = "PROMETHEUS_MULTIPROC_DIR"
"""Read by the library when it is imported, so it has to stand in a worker's environment from the beginning."""

_LOST = "lost_worker_"


@contextmanager
def fresh_folder(chosen: Path | None) -> Iterator[Path]:
    """A folder with nothing in it from earlier runs, whose counts would be taken for this one's.

    One that the operator has `chosen` is emptied and stays; by default it is a new one that goes with the run.
    """
    if chosen is not None:
        chosen.mkdir(parents=True, exist_ok=True, mode=0o700)
        for file in (*chosen.glob("*.db"), *chosen.glob(f"{_LOST}*")):
            file.unlink(missing_ok=True)
        yield chosen
        return
    with tempfile.TemporaryDirectory(prefix="minds-gateway-metrics-", ignore_cleanup_errors=True) as folder:
        yield Path(folder)


def forget_gauges(folder: Path, pid: int) -> None:
    """Remove the gauges of a worker that has ended. What it counted stays counted."""
    for file in folder.glob(f"gauge_live*_{pid}.db"):
        file.unlink(missing_ok=True)


def note_loss(folder: Path, pid: int) -> None:
    """Record a worker that ended without being told to, for another worker to count: the supervisor counts nothing."""
    (folder / f"{_LOST}{pid}").touch()


def take_losses(folder: Path) -> int:
    taken = 0
    for file in folder.glob(f"{_LOST}*"):
        # Another worker may be faster; where the folder cannot be written any more, they are not counted.
        with suppress(OSError):
            file.unlink()
            taken += 1
    return taken
