"""Child processes, which read what strangers made: an environment without secrets, limits, and an end in any case."""

import asyncio
import os
import sys
from asyncio.subprocess import PIPE
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from tempfile import gettempdir
from typing import IO

try:
    import resource
except ImportError:  # Windows: there the parent's clock is the only limit
    resource = None  # type: ignore[assignment]  # a module that is not there

PROJECT = Path(__file__).resolve().parents[2]
ENVIRONMENT: Mapping[str, str] | None = (
    None if sys.platform == "win32" else {"PYTHONPATH": str(PROJECT), "TMPDIR": gettempdir()}
)
"""Child processes read what strangers made. On Windows they do not start without the parent's environment."""
LAST_WORDS = 500  # bytes of a child's standard error that are kept


class ChildFailed(Exception):
    """A child ended with `status`, or a signal's negative number, and these last words on its standard error."""

    def __init__(self, status: int, reason: str) -> None:
        super().__init__(reason)
        self.status, self.reason = status, reason


async def run_child(*command: str, stdin: bytes | IO[bytes], seconds: float | None = None) -> bytes:
    """The standard output of a process that ends with this call, whatever ends it.

    Raises `ChildFailed`: it did not end with status 0; `TimeoutError`: it took longer than `seconds`.
    """
    given, source = (stdin, PIPE) if isinstance(stdin, bytes) else (None, stdin)
    process = await asyncio.create_subprocess_exec(*command, stdin=source, stdout=PIPE, stderr=PIPE, env=ENVIRONMENT)
    try:
        async with asyncio.timeout(seconds):
            written, errors = await process.communicate(given)
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    if process.returncode:
        raise ChildFailed(process.returncode, errors[-LAST_WORDS:].decode(errors="replace"))
    return written


def limit_resources(seconds: int, memory: int) -> None:
    """Limit this process to so many seconds, for when its parent is no longer there to stop it, and bytes.

    It gives way to the server, both for the processor and where memory runs out.
    """
    if resource is not None:
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
        os.nice(10)
        with suppress(OSError):  # Linux only
            Path("/proc/self/oom_score_adj").write_text("1000", encoding="ascii")
