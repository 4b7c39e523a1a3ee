"""Each run begins at nothing, and dead workers have no gauges."""

import os
import subprocess
import sys
import time
from pathlib import Path

from app.metrics.shared_folder import forget_the_dead, fresh_folder, is_alive, note_loss, take_losses


def ended() -> int:
    """The number of a process that was there."""
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait(60)
    return process.pid


def test_by_default_the_folder_is_new_and_goes_with_the_run() -> None:
    with fresh_folder(None) as one, fresh_folder(None) as other:
        assert one != other
        (one / "counter_1.db").touch()

    assert not one.exists()


def test_a_chosen_folder_is_emptied_of_counts_and_of_nothing_else(tmp_path: Path) -> None:
    chosen = tmp_path / "metrics"
    with fresh_folder(chosen) as folder:
        (folder / "counter_1.db").touch()
        (folder / "note.txt").touch()

    with fresh_folder(chosen):
        assert [file.name for file in chosen.iterdir()] == ["note.txt"]


def test_the_dead_lose_their_gauges_and_keep_their_counts(tmp_path: Path) -> None:
    dead, alive = ended(), os.getpid()
    for pid in (dead, alive):
        for kind in ("counter", "histogram", "gauge_livesum", "gauge_livemax"):
            (tmp_path / f"{kind}_{pid}.db").touch()

    forget_the_dead(tmp_path)

    left = {file.name for file in tmp_path.iterdir()}
    assert {name for name in left if str(dead) in name} == {f"counter_{dead}.db", f"histogram_{dead}.db"}
    assert len([name for name in left if str(alive) in name]) == 4


def test_a_worker_that_was_lost_is_counted_once_and_by_one(tmp_path: Path) -> None:
    for pid in (7, 8):
        note_loss(tmp_path, pid)

    taken = take_losses(tmp_path), take_losses(tmp_path)
    note_loss(tmp_path, 9)
    with fresh_folder(tmp_path):
        assert take_losses(tmp_path) == 0

    assert taken == (2, 0)


def test_what_cannot_be_removed_is_neither_counted_nor_in_the_way(tmp_path: Path) -> None:
    (tmp_path / "lost_worker_7").mkdir()  # not to be removed by anybody's right
    (tmp_path / f"gauge_livesum_{ended()}.db").mkdir()
    note_loss(tmp_path, 8)

    taken = take_losses(tmp_path)
    forget_the_dead(tmp_path)

    assert taken == 1


def test_a_process_that_nobody_waited_for_is_dead() -> None:
    with subprocess.Popen([sys.executable, "-c", ""], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.read()  # until its end, which nobody has waited for yet
        deadline = time.monotonic() + 60
        while is_alive(process.pid) and time.monotonic() < deadline:
            os.sched_yield()

        assert not is_alive(process.pid)
        assert is_alive(os.getpid())
