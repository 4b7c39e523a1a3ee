"""The folder in which several workers count together: fresh for each run, and without the gauges of the dead.

The metrics library is not imported here: the process that names the folder to it may be the one that counts.
"""

import os
import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

VARIABLE = "PROMETHEUS_MULTIPROC_DIR"
"""Read by the library when it is imported, so it has to stand in a worker's environment from the beginning."""

_LOST = "lost_worker_"
_LIVE = re.compile(r"gauge_live\w*_(\d+)\.db")


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


def forget_the_dead(folder: Path) -> None:
    """Remove the gauges of workers that are no more. What they counted stays counted."""
    for file in folder.glob("gauge_live*.db"):
        found = _LIVE.fullmatch(file.name)
        if found is not None and not is_alive(int(found[1])):
            with suppress(OSError):  # another worker is scraped at the same time; or the folder cannot be written
                file.unlink()


def note_loss(folder: Path, pid: int) -> None:
    """Leave word of a worker that ended without being told to, for another to count: who starts them cannot."""
    (folder / f"{_LOST}{pid}").touch()


def take_losses(folder: Path) -> int:
    """How many were lost since somebody took them last. Each is taken once, whoever else is at it."""
    return sum(_was_taken(file) for file in folder.glob(f"{_LOST}*"))


def _was_taken(file: Path) -> bool:
    try:
        file.unlink()
    except OSError:  # another worker was faster; or the folder cannot be written any more, and they are not counted
        return False
    return True


def is_alive(pid: int) -> bool:
    """Whether there is a process of this number; one that ended and was not waited for is none."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return not _is_zombie(pid)


def _is_zombie(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2].startswith("Z")
    except OSError:  # no such folder on this system: the supervisor waits for its workers soon enough
        return False
