"""The end of a process: who is being asked may finish, since the answer is paid for, and nobody new is asked."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager, suppress


class Drain:
    """Counts the personas that are being asked in this process."""

    def __init__(self) -> None:
        self.closing = False
        self._asked = 0
        self._idle = asyncio.Event()
        self._idle.set()

    async def turn(self) -> None:
        """Wait for one's turn to ask: at once, or never once the process ends."""
        if self.closing:
            await asyncio.Event().wait()

    @contextmanager
    def asking(self) -> Iterator[None]:
        """Around the asking of one persona, until its answer is handed over to be stored."""
        self._asked += 1
        self._idle.clear()
        try:
            yield
        finally:
            self._asked -= 1
            if not self._asked:
                self._idle.set()

    async def close(self, seconds: float) -> None:
        """Let nobody begin any more, and wait so long for who has begun."""
        self.closing = True
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._idle.wait()
