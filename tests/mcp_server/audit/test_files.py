"""Files that only their owner reads, end in time, and hold no half rows after a fault."""

import errno
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from mcp_server.audit.chain import Chain
from mcp_server.audit.entries import Entry, Event
from mcp_server.audit.files import FileSink, chain_files
from mcp_server.audit.sinks import SinkFailed
from tests.auditing import KEY, NAME, begun, call, log_of, rows_in, verified, written
from tests.processes import ROOT, environment

MIB = 1024 * 1024
DAY = 86_400


async def test_rows_are_lines_that_only_the_owner_reads(tmp_path: Path) -> None:
    folder = tmp_path / "audit"
    sink = FileSink(folder, MIB)

    await sink.write(list(log_of(3)))
    await sink.aclose()

    (path,) = chain_files(folder)[NAME]
    assert path.stat().st_mode & 0o777 == 0o600
    assert folder.stat().st_mode & 0o777 == 0o700
    assert verified(folder).rows == 5
    assert verified(folder).faults == []


async def test_a_file_ends_with_its_size_and_with_the_day_and_the_chain_goes_on(tmp_path: Path) -> None:
    sink, chain = FileSink(tmp_path, 500), Chain(NAME, KEY)
    times = [0.0, 1.0, 2.0, DAY + 1.0]
    for row in [begun(chain), *(chain.add(Entry(Event.SIGN_IN, subject="ada", time=at)) for at in times)]:
        await sink.write([row])
    await sink.aclose()

    assert len(chain_files(tmp_path)[NAME]) >= 3
    assert verified(tmp_path).faults == []


async def test_a_file_that_was_moved_away_is_followed_by_a_new_one(tmp_path: Path) -> None:
    sink, rows = FileSink(tmp_path, MIB), list(log_of(2))
    await sink.write(rows[:2])
    chain_files(tmp_path)[NAME][0].rename(tmp_path / "elsewhere")
    await sink.write(rows[2:])
    await sink.aclose()

    assert [row["seq"] for row in rows_in(tmp_path)] == [2, 3]


@pytest.mark.security("FI-22")
async def test_a_full_disk_leaves_no_half_row_and_all_rows_when_it_has_room_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sink, rows = FileSink(tmp_path, MIB), list(log_of(6))
    await sink.write(rows[:3])
    real = os.write

    def until_full(file: int, data: memoryview) -> int:
        if len(data) < 200:
            raise OSError(errno.ENOSPC, "No space left on device")
        return real(file, data[:200])

    with monkeypatch.context() as full:
        full.setattr(os, "write", until_full)
        with pytest.raises(SinkFailed, match="No space"):
            await sink.write(rows[3:])
    await sink.write(rows[3:])
    await sink.aclose()

    report = verified(tmp_path)
    assert (report.rows, report.torn, report.faults) == (8, 0, [])


async def test_what_another_process_wrote_last_is_known(tmp_path: Path) -> None:
    rows = list(log_of(4))
    written(tmp_path, rows[:-1])

    heads = await FileSink(tmp_path, MIB).heads()

    assert {name: (head.seq, head.hash) for name, head in heads.items()} == {NAME: (4, rows[4].hash)}


async def test_old_files_go_from_the_beginning_of_a_chain_only(tmp_path: Path) -> None:
    sink, chain = FileSink(tmp_path, 1), Chain(NAME, KEY)
    rows = [begun(chain), *(chain.add(call(number)) for number in range(3))]
    for row in rows:
        await sink.write([row])
    await sink.aclose()
    old = time.time() - 100 * DAY
    for place in (0, 1, 3):
        os.utime(chain_files(tmp_path)[NAME][place], (old, old))

    cuts = await FileSink(tmp_path, MIB).expired(time.time() - 90 * DAY)
    await FileSink(tmp_path, MIB).drop(cuts)

    assert cuts[NAME].seq == 1
    assert [row["seq"] for row in rows_in(tmp_path)] == [2, 3]


@pytest.mark.parametrize("cut", [1, 70, 150])
def test_a_line_that_a_killed_process_left_half_written_is_no_fault(tmp_path: Path, cut: int) -> None:
    path = written(tmp_path, list(log_of(5)))
    whole = path.read_bytes()
    path.write_bytes(whole[:-cut])

    report = verified(tmp_path)

    assert (report.torn, report.rows, report.faults) == (1, 6, [])


LOADED = """
import asyncio, sys
from pathlib import Path
from mcp_server.audit.files import FileSink
from mcp_server.audit.recorder import Recorder
from tests.auditing import KEY, call

async def main():
    recorder = Recorder([FileSink(Path(sys.argv[1]), 1024 * 1024)], KEY)
    async with recorder.running():
        number = 0
        while True:
            for _ in range(20):
                recorder.record(call(number))
                number += 1
            await asyncio.sleep(0.002)
            if number == 2000:
                await recorder.settle()
                print("written", flush=True)

asyncio.run(main())
"""


@pytest.mark.security("FI-21")
def test_killed_in_the_middle_of_its_work_a_process_leaves_a_chain_that_verifies(tmp_path: Path) -> None:
    for _ in range(2):
        process = subprocess.Popen(
            [sys.executable, "-c", LOADED, str(tmp_path)], cwd=ROOT, env=environment(), stdout=subprocess.PIPE
        )
        assert process.stdout is not None
        assert process.stdout.readline() == b"written\n"
        process.send_signal(signal.SIGKILL)
        process.wait(20)
        process.stdout.close()

    report = verified(tmp_path)

    assert report.faults == []
    assert (len(report.chains), report.open_chains) == (2, 2)
    assert report.rows >= 2 * 2_000
    starts = [row for row in rows_in(tmp_path) if row["event"] == "auditStart"]
    assert [len(start["detail"]["heads"]) for start in starts].count(1) == 1
    # The second remembers where the first was stopped; which of them is named first is chance within one second.
