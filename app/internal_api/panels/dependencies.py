"""What questions are worked on with: the event hub, the drain at shutdown, and a claimed question with its lease."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import AbstractAsyncContextManager, contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from app.internal_api.engines.extractive.engine import ExtractiveEngine
from app.internal_api.knowledge.documents import Search
from app.internal_api.settings import InternalApiSettings
from app.internal_api.store.leases import Lease, holding
from app.internal_api.store.questions import Question


class EventHub:
    """Notifies subscribers of a question within this process; changes made by other processes are found by polling.

    `wake` is set for each new question, and wakes the worker.
    """

    def __init__(self) -> None:
        self.wake = asyncio.Event()
        self._subscribers: dict[str, set[asyncio.Event]] = {}

    def notify(self, question_id: str) -> None:
        """Something of the question was stored."""
        for changed in self._subscribers.get(question_id, ()):
            changed.set()

    @contextmanager
    def subscribe(self, question_id: str) -> Iterator[asyncio.Event]:
        """An event that is set at each change of the question; the subscriber clears it."""
        changed = asyncio.Event()
        subscribers = self._subscribers.setdefault(question_id, set())
        subscribers.add(changed)
        try:
            yield changed
        finally:
            subscribers.discard(changed)
            if not subscribers and self._subscribers.get(question_id) is subscribers:
                del self._subscribers[question_id]

    @property
    def subscribed(self) -> frozenset[str]:
        """The questions that have subscribers."""
        return frozenset(self._subscribers)


class Drain:
    """Graceful shutdown: requests to the engine that have begun may finish, since they are paid for; none begins."""

    def __init__(self) -> None:
        self.closing = False
        self._running = 0
        self._idle = asyncio.Event()
        self._idle.set()

    async def admit(self) -> None:
        """Return at once, or never once the process ends: the caller is cancelled then."""
        if self.closing:
            await asyncio.Event().wait()

    @contextmanager
    def request(self) -> Iterator[None]:
        """Around asking one persona, until its answer is handed over to be stored."""
        self._running += 1
        self._idle.clear()
        try:
            yield
        finally:
            self._running -= 1
            if not self._running:
                self._idle.set()

    async def close(self, seconds: float) -> None:
        """Admit nobody any more, and wait so long for the requests that have begun."""
        self.closing = True
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._idle.wait()


@dataclass(frozen=True, slots=True)
class PanelDependencies:
    """What all questions are worked on with."""

    engine: AsyncEngine
    persona_engine: ExtractiveEngine
    search: Search
    settings: InternalApiSettings
    hub: EventHub
    clock: Callable[[], int]
    drain: Drain = field(default_factory=Drain)


@dataclass(frozen=True, slots=True)
class ClaimedQuestion:
    """The right to work on one question, with what is needed for it."""

    question: Question
    lease: Lease
    dependencies: PanelDependencies

    def write(self, **values: Any) -> AbstractAsyncContextManager[AsyncConnection]:
        """A transaction that changes the question too, and fails as a whole with LeaseLost."""
        return holding(self.dependencies.engine, self.lease, self.dependencies.clock, **values)

    def read(self) -> AsyncConnection:
        """A connection, to be entered, that waits for no writer."""
        return self.dependencies.engine.execution_options(read_only=True).connect()

    def notify(self) -> None:
        """Wake the subscribers of the question."""
        self.dependencies.hub.notify(self.question.id)
