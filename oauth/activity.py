"""What happened in whose name: noted in memory by who does it, written down in batches beside the requests.

A call never waits for it. While the database gives no answer, as much is kept as the queue holds; what does not
fit is counted and said in the log, never silently lost.
"""

import logging
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol
from uuid import uuid4

from oauth.clock import utc_now

BATCH = 200
QUEUE = 10_000
MAX_NAME = 200

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Event:
    """`event` is a word such as `signed_in` or `tool:create_panel`; `outcome` is `ok` or the name of the refusal.

    `client_name` is the name of the app or key as it was shown then: when both are gone, the event still says whose.
    """

    id: str
    user_id: str
    at: datetime
    event: str
    client_id: str | None
    outcome: str
    client_name: str | None = None


class ActivityStore(Protocol):
    """Where events are kept. Every method may raise `StoreUnavailable`."""

    async def add_events(self, events: Sequence[Event]) -> None:
        """Keep them."""

    async def list_events(self, user_id: str, most: int) -> Sequence[Event]:
        """The latest of an account, newest first."""

    async def drop_events(self, before: datetime) -> None:
        """Forget what is older."""


class Activity:
    """Takes events from everywhere in the process; `write` is called by the upkeep."""

    def __init__(self, store: ActivityStore, now: Callable[[], datetime] = utc_now, *, most: int = QUEUE) -> None:
        self._store, self._now, self._most = store, now, most
        self._queue: deque[Event] = deque()
        self._lost = 0

    def note(
        self,
        user_id: str,
        event: str,
        client_id: str | None = None,
        outcome: str = "ok",
        client_name: str | None = None,
    ) -> None:
        """Remember that this happened now."""
        if len(self._queue) >= self._most:
            self._lost += 1
            return
        name = client_name and client_name[:MAX_NAME]
        self._queue.append(Event(str(uuid4()), user_id, self._now(), event[:64], client_id, outcome[:64], name))

    async def write(self) -> None:
        """Write down what is remembered. What could not be written is kept for the next time.

        Raises:
            StoreUnavailable: the database gave no answer.

        """
        if self._lost:
            log.warning("activity: %d events did not fit into the queue and are lost", self._lost)
            self._lost = 0
        while self._queue:
            batch = [self._queue[place] for place in range(min(BATCH, len(self._queue)))]
            await self._store.add_events(batch)
            for _ in batch:
                self._queue.popleft()

    async def latest(self, user_id: str, most: int = 50) -> Sequence[Event]:
        """The latest events of an account, newest first, those that are not written yet included."""
        fresh = [event for event in reversed(self._queue) if event.user_id == user_id][:most]
        known = {event.id for event in fresh}
        stored = [event for event in await self._store.list_events(user_id, most) if event.id not in known]
        return [*fresh, *stored][:most]
