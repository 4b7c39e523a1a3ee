"""One process at a time: a lock on a file, which the system takes back when its holder dies."""

import asyncio
import os
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from mcp_server.login.words import Unreachable

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

PATIENCE = 60.0
"""Seconds: a holder asks a server at most three times, and each answer has its own limit."""

AGAIN = 0.05


@asynccontextmanager
async def locked(path: Path, *, patience: float = PATIENCE) -> AsyncIterator[None]:
    """Hold the lock on `path` for the length of the block.

    Raises:
        Unreachable: somebody else held it for too long.

    """
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        deadline = time.monotonic() + patience
        while not _take(descriptor):
            if time.monotonic() > deadline:
                raise Unreachable("Another process is busy with the sign-in; try again.")
            await asyncio.sleep(AGAIN)
        try:
            yield
        finally:
            _release(descriptor)
    finally:
        os.close(descriptor)


if sys.platform == "win32":

    def _take(descriptor: int) -> bool:
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

    def _release(descriptor: int) -> None:
        os.lseek(descriptor, 0, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_UNLCK, 1)

else:

    def _take(descriptor: int) -> bool:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def _release(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_UN)
