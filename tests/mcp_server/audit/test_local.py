"""The stdio process has its rows in DATA_DIR, and goes on where that cannot be written to."""

from pathlib import Path
from typing import Any

from mcp_server.audit.chain import ChainKey
from mcp_server.audit.local import AUDIT_KEY, folder_of, stdio_recorder
from mcp_server.settings import McpSettings
from tests.auditing import call, rows_in, verified


def settings(**more: Any) -> McpSettings:
    return McpSettings(_env_file=None, **more)


async def test_its_rows_are_in_files_under_a_key_of_the_folder(tmp_path: Path) -> None:
    recorder = stdio_recorder(settings(), tmp_path)
    async with recorder.running():
        recorder.record(call())

    key = ChainKey.derived((tmp_path / AUDIT_KEY).read_text().strip())
    assert verified(folder_of(tmp_path), key).faults == []
    assert [row["event"] for row in rows_in(folder_of(tmp_path))] == ["auditStart", "toolSuccess", "auditEnd"]


def test_without_the_sink_for_files_it_writes_none(tmp_path: Path) -> None:
    assert stdio_recorder(settings(audit_sink=("database",)), tmp_path).trails == []


def test_a_folder_that_cannot_be_written_to_keeps_nobody_from_working(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")

    assert stdio_recorder(settings(), tmp_path / "file").trails == []
