"""How much strangers of one place have done at once: what they cause takes connections that all others need, too."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeVar

T = TypeVar("T")


class TooManyWaiting(Exception):
    """As many wait already."""


@dataclass(slots=True)
class _Place:
    turns: asyncio.Semaphore
    present: int = 0
    """Who has a turn or waits for one."""


class PerKeySemaphore:
    """`at_once` of one place have a turn, `waiting` more wait for one in the order in which they came."""

    def __init__(self, at_once: int, waiting: int) -> None:
        self._at_once, self._most = at_once, at_once + waiting
        self._places: dict[str, _Place] = {}

    def __len__(self) -> int:
        """The places of which somebody is present."""
        return len(self._places)

    async def run(self, name: str, work: Callable[[], Awaitable[T]]) -> T:
        """What `work` gives, done in a turn of the place of this name; the turn ends when the work does.

        Raises `TooManyWaiting`: it was not begun.
        """
        place = self._places.setdefault(name, _Place(asyncio.Semaphore(self._at_once)))
        if place.present >= self._most:
            raise TooManyWaiting
        place.present += 1
        try:
            async with place.turns:
                return await work()
        finally:
            place.present -= 1
            if not place.present:  # places come and go for as long as the process runs
                del self._places[name]
