"""The PDF report is made in a process of its own: a second of work that must not hold up the event loop.

The server never loads fonts or the PDF library, its memory stays as it is, and a report that takes too long is stopped.
"""

import json
import sys
from pathlib import Path
from subprocess import PIPE
from tempfile import TemporaryDirectory

import anyio
import structlog
from anyio import to_thread
from pydantic import TypeAdapter

from mcp_server.errors import ServiceUnavailable
from mcp_server.toolsets.panels._report import Report

PROJECT = Path(__file__).resolve().parents[4]
COMMAND = (sys.executable, "-P", "-m", "mcp_server.toolsets.panels._exports.pdf")
"""`-P`, because what lies in the folder where it runs must not be run for ours."""
ENVIRONMENT = None if sys.platform == "win32" else {"PYTHONPATH": str(PROJECT)}
"""No secret of this process is needed there. Programs for Windows do not start without theirs."""

SECONDS = 60.0
REASON = 500
"""Bytes of the program's last words that are logged."""

_REPORTS = TypeAdapter(Report)

log = structlog.get_logger(__name__)


async def render_pdf(report: Report, *, seconds: float = SECONDS) -> bytes:
    """A PDF of `report`, the same bytes for the same report. The process ends when the caller is cancelled.

    Raises:
        ServiceUnavailable: it took too long, or failed; why is in the log.

    """
    data = await to_thread.run_sync(told, report)
    # Not anyio's folder: that one stays behind when the caller is cancelled. To remove a few files takes no time.
    with TemporaryDirectory(prefix="minds-pdf-", ignore_cleanup_errors=True) as folder:
        return await _run(data, folder, seconds)


async def _run(data: bytes, folder: str, seconds: float) -> bytes:
    try:
        with anyio.fail_after(seconds):
            run = await anyio.run_process(
                COMMAND, input=data, stdout=PIPE, stderr=PIPE, check=False, cwd=folder, env=ENVIRONMENT
            )
    except TimeoutError:
        log.warning("pdf_report.too_slow", seconds=seconds, bytes=len(data))
        raise ServiceUnavailable(
            f"The PDF was not finished within {seconds:g} seconds. Ask for another format, such as xlsx or md."
        ) from None
    if run.returncode != 0:
        reason = run.stderr[-REASON:].decode(errors="replace")
        log.error("pdf_report.failed", returncode=run.returncode, reason=reason)
        raise ServiceUnavailable("The PDF could not be made. Ask for another format, such as xlsx or md.")
    return run.stdout


def told(report: Report) -> bytes:
    """As JSON. Halves of surrogate pairs, which no encoding has, become replacement characters."""
    text = json.dumps(_REPORTS.dump_python(report), ensure_ascii=False)
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").encode()
