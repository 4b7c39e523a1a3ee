"""The program reads a report and writes its PDF, in the folder where it stands."""

import subprocess
from pathlib import Path

from mcp_server.toolsets.panels._exports.pdf_process import COMMAND, ENVIRONMENT, told
from tests.mcp_server.toolsets.panels.reports import empty_report


def run(data: bytes, folder: Path) -> "subprocess.CompletedProcess[bytes]":
    return subprocess.run(COMMAND, input=data, cwd=folder, env=ENVIRONMENT, capture_output=True, check=False)


def test_a_report_on_standard_input_is_a_pdf_on_standard_output(tmp_path: Path) -> None:
    done = run(told(empty_report()), tmp_path)

    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.startswith(b"%PDF-")
    assert list(tmp_path.glob("*.ttf"))


def test_what_is_no_report_ends_it_with_a_failure(tmp_path: Path) -> None:
    done = run(b"{}", tmp_path)

    assert done.returncode != 0
    assert done.stdout == b""
