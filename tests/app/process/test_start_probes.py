"""What is wrong around a server is found before it starts, and named with its way out."""

import errno
import os
import socket
import sqlite3
import tempfile
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import URL

from app.process import start_probes
from app.process.start_probes import Finding, file_findings, folder_findings, port_findings, probe, redis_findings
from app.storage.migrate import bring_up_to_date
from tests.edge import settings_for
from tests.processes import free_port


def named(findings: list[Finding]) -> list[tuple[str, bool]]:
    return [(finding.setting, finding.stops) for finding in findings]


async def made(folder: Path) -> Path:
    """A database file with its schema and some rows."""
    url = settings_for(folder).database
    await bring_up_to_date(url)
    return Path(str(url.database))


async def test_where_all_is_well_nothing_is_found(tmp_path: Path, database: URL) -> None:
    url = database.render_as_string(hide_password=False)

    assert await probe(settings_for(tmp_path / "new", port=free_port(), database_url=url)) == []


@pytest.mark.security("FI-07")
@pytest.mark.parametrize(
    ("fault", "way_out"),
    [(errno.ENOSPC, "make room"), (errno.EROFS, "mount it writable"), (errno.EACCES, f"uid {os.getuid()}")],
)
def test_a_folder_that_takes_no_file_stops_the_start_with_the_way_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fault: int, way_out: str
) -> None:
    def refused(**_: Any) -> None:
        raise OSError(fault, os.strerror(fault))

    monkeypatch.setattr(tempfile, "TemporaryFile", refused)

    (finding,) = folder_findings(tmp_path)

    assert (finding.setting, finding.stops) == ("DATA_DIR", True)
    assert way_out in finding.text


def test_a_folder_that_cannot_be_made_stops_the_start(tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    assert named(folder_findings(tmp_path / "file" / "var")) == [("DATA_DIR", True)]


@pytest.mark.security("FI-07")
def test_a_disk_that_is_nearly_full_is_told_and_does_not_stop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(start_probes, "LEAST_FREE", 1 << 80)

    assert named(folder_findings(tmp_path)) == [("DATA_DIR", False)]


def test_a_port_that_is_taken_and_an_address_of_somebody_else_stop_the_start() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        in_use = port_findings("127.0.0.1", taken.getsockname()[1])

    assert named(in_use) == [("PORT", True)]
    assert "already in use" in in_use[0].text
    assert named(port_findings("192.0.2.1", 8000)) == [("HOST", True)]
    assert named(port_findings("no.such.name.invalid", 8000)) == [("HOST", True)]


@pytest.mark.security("FI-08")
@pytest.mark.parametrize("damage", ["empty", "garbage", "cut short", "overwritten inside"])
async def test_a_damaged_database_file_stops_the_start_and_is_left_as_it_is(tmp_path: Path, damage: str) -> None:
    path = await made(tmp_path)
    whole = path.read_bytes()
    pages = bytearray(whole)
    pages[4096 : 4096 * 6] = b"\x5a" * (4096 * 5)
    broken = {
        "empty": b"",
        "garbage": b"not a database at all" * 400,
        "cut short": whole[: len(whole) // 2 // 4096 * 4096],
        "overwritten inside": bytes(pages),
    }[damage]
    path.write_bytes(broken)

    findings = await probe(settings_for(tmp_path, port=free_port()))

    assert named(findings) == [("DATABASE_URL", True)]
    assert "restore a backup" in findings[0].text
    assert path.read_bytes() == broken


@pytest.mark.security("FI-08")
async def test_a_truncated_write_ahead_log_loses_no_more_than_its_torn_end(tmp_path: Path) -> None:
    path = await made(tmp_path)
    writer = sqlite3.connect(path, isolation_level=None)
    writer.execute("CREATE TABLE kept (n INTEGER)")
    writer.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    writer.execute("INSERT INTO kept VALUES (1)")
    log = path.with_name(f"{path.name}-wal")
    acknowledged = log.stat().st_size
    writer.execute("INSERT INTO kept VALUES (2)")
    copied = tmp_path / "copy" / path.name
    copied.parent.mkdir()
    copied.write_bytes(path.read_bytes())
    copied.with_name(log.name).write_bytes(log.read_bytes()[: acknowledged + 100])
    writer.close()

    found = file_findings(copied)

    with sqlite3.connect(copied) as reader:
        rows = reader.execute("SELECT n FROM kept").fetchall()
    reader.close()
    assert (found, rows) == ([], [(1,)])


def test_a_file_that_is_not_there_or_is_locked_is_not_damaged(tmp_path: Path) -> None:
    path = tmp_path / "some.sqlite3"
    missing = file_findings(path)
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE t (n INTEGER)")
    connection.close()

    assert (missing, file_findings(path)) == ([], [])


@pytest.mark.security("FI-01")
@pytest.mark.parametrize(
    ("url", "stops"),
    [
        ("postgresql://ada:hunter2@127.0.0.1:1/minds", False),
        ("postgresql://ada:hunter2@no-such-host.invalid/minds", False),
        ("sqlite:////proc/no/such/folder.sqlite3", True),
    ],
)
async def test_a_database_that_may_come_is_waited_for_and_one_that_cannot_stops_the_start(
    tmp_path: Path, url: str, stops: bool
) -> None:
    findings = await probe(settings_for(tmp_path, port=free_port(), database_url=url))

    assert named(findings) == [("DATABASE_URL", stops)]
    assert "hunter2" not in str(findings)


async def test_a_database_that_refuses_stops_the_start(tmp_path: Path, postgres: URL) -> None:
    url = postgres.set(database="no_such_database").render_as_string(hide_password=False)

    findings = await probe(settings_for(tmp_path, port=free_port(), database_url=url))

    assert named(findings) == [("DATABASE_URL", True)]
    assert "no_such_database" in findings[0].text


def test_a_redis_that_is_not_there_is_told_and_does_not_stop() -> None:
    with socket.create_server(("127.0.0.1", 0)) as there:
        port = there.getsockname()[1]
        answers = [redis_findings(f"redis://:hunter2@127.0.0.1:{port}/0"), redis_findings(None)]
        one_of_two = redis_findings(f"redis://127.0.0.1:1,127.0.0.1:{port}/0")

    gone = redis_findings("redis://:hunter2@127.0.0.1:1/0")

    assert (answers, one_of_two) == ([[], []], [])
    assert named(gone) == [("REDIS_URL", False)]
    assert "hunter2" not in str(gone)
