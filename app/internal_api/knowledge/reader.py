"""Documents are read in child processes, which are stopped at their limits, and when nobody waits any more."""

import json
import sys
from typing import IO

import orjson
import structlog

from app.internal_api.children import ChildFailed, run_child
from app.internal_api.knowledge.documents import Document, SourceRefused

COMMAND = (sys.executable, "-P", "-m", "app.internal_api.knowledge.extract")
SECONDS = 60  # by the clock; the limit of processor time is the child's own

log = structlog.get_logger(__name__)


async def read_document(
    data: bytes | IO[bytes], *, filename: str, media_type: str | None, seconds: float = SECONDS
) -> Document:
    """Read one source, from a file from where it stands.

    Raises `SourceRefused`: as `extract_document`; `too_large` for what takes too much time or memory; `unreadable`.
    """
    named = json.dumps((filename, media_type))
    try:
        written = await run_child(*COMMAND, named, stdin=data, seconds=seconds)
    except TimeoutError:
        raise SourceRefused("too_large", "The source takes too long to read. Give it in several parts.") from None
    except ChildFailed as failed:
        # A signal is a limit's, as a rule; any other status is a broken installation, or a fault of ours.
        log.warning("document_reader.failed", status=failed.status, reason=failed.reason)
        if failed.status < 0 or failed.reason.endswith("MemoryError\n"):
            raise SourceRefused("too_large", "The source takes too much time or memory to read.") from None
        raise SourceRefused("unreadable", "The source cannot be read.") from None
    result = orjson.loads(written)
    if "code" in result:
        raise SourceRefused(result["code"], result["message"])
    pages = result.pop("pages")
    return Document(**result, pages=None if pages is None else tuple(pages))
