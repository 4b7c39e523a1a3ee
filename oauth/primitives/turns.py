"""Turns at checking a password: one at a time, for whoever has tried least often of late."""

from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import anyio

from oauth.errors import TooManyRequests

MAX_WAITING = 12
PATIENCE = 4.0
"""Seconds: with the work itself it stays below the time after which clients are told 503."""
GAP = 0.002  # seconds between two who come, in which the process does what others ask of it
MAX_NAMES = 2_000
"""With more than these all are forgotten: a flood of made-up names takes no memory, and is counted again at once."""
LONGEST_WAIT = 60


@dataclass(eq=False, slots=True)
class _Waiting:
    names: tuple[str, ...]
    called: anyio.Event = field(default_factory=anyio.Event)


class Turns:
    """One at a time. Of those who wait, the one whose first name came least often is next, then by its second name.

    So a flood waits behind itself: whoever comes from elsewhere is before it, and takes the place of one of its many.
    """

    def __init__(self) -> None:
        self._entry = anyio.Lock()
        self._current: _Waiting | None = None
        self._waiting: list[_Waiting] = []
        self._came = Counter[str]()

    @asynccontextmanager
    async def turn(self, *names: str) -> AsyncIterator[None]:
        """Wait for a turn, and have it for as long as the block takes.

        Raises `TooManyRequests`: too many wait who came less often, at once; or the turn did not come in time. The
        first name is told to come back the later, the more often it came: a flood does not return all at once.
        """
        mine = _Waiting(names)
        try:
            with anyio.move_on_after(PATIENCE):
                async with self._entry:
                    await anyio.sleep(GAP)
                self._arrive(mine)
                await mine.called.wait()
            if self._current is not mine:
                wait = min(LONGEST_WAIT, int(PATIENCE) + self._came[names[0]])
                raise TooManyRequests(f"Too many people are signing in now. Try again in {wait} seconds.", wait)
            yield
        finally:
            if mine is self._current:
                self._call_next()
            elif mine in self._waiting:
                self._waiting.remove(mine)

    def _arrive(self, mine: _Waiting) -> None:
        if len(self._came) > MAX_NAMES:
            self._came.clear()
        self._came.update(mine.names)
        self._waiting.append(mine)
        if self._current is None:
            self._call_next()
        elif len(self._waiting) > MAX_WAITING:
            last = max(reversed(self._waiting), key=self._rank)
            self._waiting.remove(last)
            last.called.set()

    def _call_next(self) -> None:
        self._current = min(self._waiting, key=self._rank, default=None)
        if self._current is not None:
            self._waiting.remove(self._current)
            self._current.called.set()

    def _rank(self, one: _Waiting) -> list[int]:
        """Looked at when a turn is given: who has come again since waits longer."""
        return [self._came[name] for name in one.names]
