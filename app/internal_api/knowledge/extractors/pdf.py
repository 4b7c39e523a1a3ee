"""PDFs are read in a process of their own, which can be stopped: a kilobyte of PDF can ask for hours and gigabytes.

A form that calls forms, a font of a million characters under a thousand names: what a page costs is known when it has
been read, and a thread that reads it cannot be stopped. `extract_pdf` starts `pdf_reader`, which alone loads what it
reads with: a server starts sooner without.
"""

import json
import subprocess
import sys

import structlog

from app.internal_api.children import ENVIRONMENT
from app.internal_api.knowledge.documents import SourceRefused
from app.internal_api.knowledge.extractors.plain import Extracted

COMMAND = (sys.executable, "-P", "-m", "app.internal_api.knowledge.extractors.pdf_reader")
SECONDS = 60
"""A thousand dense pages take half of it."""
REASON = 500
"""Bytes of the reader's standard error that are logged."""

log = structlog.get_logger(__name__)


def extract_pdf(data: bytes, _charset: str | None = None, seconds: float = SECONDS) -> Extracted:
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
    result = json.loads(run.stdout)  # not orjson: broken PDFs hold halves of surrogate pairs
    if "code" in result:
        raise SourceRefused(result["code"], result["message"])
    return Extracted(tuple(result["parts"]), result["title"], result["paged"])
