"""Each run begins at nothing, and each lost worker is counted once."""

from pathlib import Path

from app.metrics.shared_folder import forget_gauges, fresh_folder, note_loss, take_losses


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


def test_a_worker_that_has_ended_loses_its_gauges_and_keeps_its_counts(tmp_path: Path) -> None:
    for name in ("counter_7.db", "gauge_livesum_7.db", "gauge_livemax_7.db", "gauge_livesum_77.db"):
        (tmp_path / name).touch()

    forget_gauges(tmp_path, 7)

    assert {file.name for file in tmp_path.iterdir()} == {"counter_7.db", "gauge_livesum_77.db"}


def test_a_worker_that_was_lost_is_counted_once_and_by_one(tmp_path: Path) -> None:
    (tmp_path / "lost_worker_6").mkdir()  # a note that cannot be removed
    for pid in (7, 8):
        note_loss(tmp_path, pid)

    taken = take_losses(tmp_path), take_losses(tmp_path)
    note_loss(tmp_path, 9)
    (tmp_path / "lost_worker_6").rmdir()
    with fresh_folder(tmp_path):
        assert take_losses(tmp_path) == 0

    assert taken == (2, 0)
