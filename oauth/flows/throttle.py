"""Slows guessing down: so many failures at one place within a span of time, then a pause."""

from datetime import datetime, timedelta

from oauth.errors import TooManyRequests
from oauth.stores.sessions import FailureStore


class Throttle:
    """At most `limit` failures at one place within `window`, in all processes together."""

    def __init__(self, store: FailureStore, *, limit: int, window: timedelta) -> None:
        self._store, self._limit, self._window = store, limit, window

    async def check(self, place: str, now: datetime) -> None:
        """Refuse while the place is full. A refused attempt is not counted, so that the pause ends by itself.

        Raises:
            TooManyRequests: it is full.
            StoreUnavailable: the store gave no answer.

        """
        await self._refuse(place, now, at=self._limit)

    async def note(self, place: str, now: datetime) -> None:
        """Count a failure.

        Raises:
            StoreUnavailable: the store gave no answer.

        """
        await self._store.note_failure(place, now)

    async def attempt(self, place: str, now: datetime) -> None:
        """Count an attempt before its outcome is known; `forgive` it when it succeeds.

        Of many attempts at once no more than `limit` get through: each is counted before any looks.

        Raises:
            TooManyRequests: the place is full.
            StoreUnavailable: the store gave no answer.

        """
        await self.check(place, now)
        await self.note(place, now)
        await self._refuse(place, now, at=self._limit + 1)

    async def forgive(self, place: str) -> None:
        """Forget the failures of the place.

        Raises:
            StoreUnavailable: the store gave no answer.

        """
        await self._store.forgive(place)

    async def _refuse(self, place: str, now: datetime, *, at: int) -> None:
        if await self._store.failures(place, now - self._window) >= at:
            wait = int(self._window.total_seconds())
            raise TooManyRequests("There were too many attempts. Wait a while and try again.", wait)
