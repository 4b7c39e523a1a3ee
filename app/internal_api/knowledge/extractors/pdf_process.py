"""PDFs are read in a process of their own, which can be stopped: a kilobyte of PDF can ask for hours and gigabytes.

A form that calls forms, a font of a million characters under a thousand names: what a page costs is known when it has
been read, and a thread that reads it cannot be stopped. `extract_pdf` starts this module as a program.
"""

import json
import subprocess
import sys
from dataclasses import asdict

import structlog

from app.internal_api.children import ENVIRONMENT
from app.internal_api.knowledge.documents import SourceRefused
from app.internal_api.knowledge.extractors.extracted import Extracted
from app.internal_api.knowledge.extractors.pdf import read_pdf

try:
    import resource
except ImportError:  # Windows: there the parent's clock is the only limit
    resource = None  # type: ignore[assignment]  # a module that is not there

COMMAND = (sys.executable, "-P", "-m", "app.internal_api.knowledge.extractors.pdf_process")
SECONDS = 60
"""A thousand dense pages take half of it."""
MEMORY = 1024**3
"""Bytes; several PDFs are read at once."""
REASON = 500
"""Bytes of the reader's last words that are logged."""

log = structlog.get_logger(__name__)


def extract_pdf(data: bytes, seconds: float = SECONDS) -> Extracted:
    """Read the text layer; blocks until the process has ended, so it is meant for a thread.

    Raises:
        SourceRefused: as `read_pdf`, and `too_large` for what takes too long.

    """
    try:
        run = subprocess.run(  # noqa: S603  ours
            COMMAND, input=data, capture_output=True, timeout=seconds, check=False, env=ENVIRONMENT
        )
    except subprocess.TimeoutExpired:
        raise SourceRefused("too_large", "The PDF takes too long to read. Give it in several parts.") from None
    if run.returncode != 0:
        # The exit tells an operator a broken installation from a hostile file; a negative one is the signal's number.
        log.warning("pdf_reader.died", returncode=run.returncode, reason=run.stderr[-REASON:].decode(errors="replace"))
        raise SourceRefused("unreadable_pdf", "The PDF cannot be read.")
    told = json.loads(run.stdout)  # not orjson: broken PDFs hold halves of surrogate pairs
    if "code" in told:
        raise SourceRefused(told["code"], told["message"])
    return Extracted(tuple(told["parts"]), told["title"], told["paged"])


def main() -> None:
    """Read a PDF from standard input, and write its text, or why not, to standard output."""
    if resource is not None:
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))  # for when the parent is no longer there to stop it
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    try:
        told = asdict(read_pdf(sys.stdin.buffer.read()))
    except SourceRefused as refused:
        told = {"code": refused.code, "message": refused.message}
    sys.stdout.write(json.dumps(told))


if __name__ == "__main__":
    main()
