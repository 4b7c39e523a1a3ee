"""What the operating system says of this process."""

import os
import threading
from pathlib import Path

import psutil

from app.metrics.process import read_process


def test_it_is_what_an_independent_look_finds() -> None:
    now, process = read_process(), psutil.Process()

    assert 0.5 < now.resident / process.memory_info().rss < 2
    assert 0 < now.processor <= sum(process.cpu_times()[:2]) + 1
    assert now.descriptors <= now.most_descriptors
    assert now.threads == threading.active_count()


def test_an_open_file_is_one_more_descriptor(tmp_path: Path) -> None:
    before = read_process().descriptors

    opened = os.open(tmp_path / "file", os.O_CREAT | os.O_RDWR)
    after = read_process().descriptors
    os.close(opened)

    assert after == before + 1
