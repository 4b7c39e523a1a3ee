"""How workers run beside the server: slots that take jobs one after another, wake-ups between tasks, and shutdown."""

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

import structlog
from sqlalchemy.exc import SQLAlchemyError

RETRY_SECONDS = 1.0
"""At most so long until a database that was busy or away is tried again."""

log = structlog.get_logger()


@dataclass(slots=True)
class WorkerSlots:
    """`work_once` takes one job and works on it to its end; False when there was none.

    Who makes a job in this process sets `wake`; jobs of other processes are found by polling: idle slots take turns
    at it, so that an idle process polls every `poll_seconds` whatever the number of its slots.
    """

    kind: str
    work_once: Callable[[], Awaitable[bool]]
    count: int
    poll_seconds: float
    wake: asyncio.Event
    _idle: int = field(default=0, init=False)

    async def run(self) -> None:
        """Work until cancelled."""
        async with asyncio.TaskGroup() as group:
            for _ in range(self.count):
                group.create_task(self._slot())

    async def _slot(self) -> None:
        while True:
            # A library may have raised a fault of its own in the place of a cancellation, which comes only once.
            if (task := asyncio.current_task()) is not None and task.cancelling():
                raise asyncio.CancelledError
            try:
                found = await self.work_once()
            except SQLAlchemyError as error:
                log.warning("worker.database_unavailable", kind=self.kind, error=type(error).__name__)
                await asyncio.sleep(min(self.poll_seconds, RETRY_SECONDS))
                continue
            if found:
                continue
            self._idle += 1
            try:
                with suppress(TimeoutError):
                    async with asyncio.timeout(self.poll_seconds * self._idle):
                        await self.wake.wait()
            finally:
                self._idle -= 1
            self.wake.clear()


@asynccontextmanager
async def beside(*work: Coroutine[Any, Any, None]) -> AsyncIterator[None]:
    """Do the work beside the body, and have stopped it when the body has ended."""
    tasks = [asyncio.create_task(each) for each in work]
    try:
        yield
    finally:
        while running := [task for task in tasks if not task.done()]:
            for task in running:
                task.cancel()
            await asyncio.wait(running, timeout=1)


class EventHub:
    """Notifies subscribers of a question within this process; changes made by other processes are found by polling.

    `wake` is set for each new question, and wakes the worker.
    """

    def __init__(self) -> None:
        self.wake = asyncio.Event()
        self.subscribers: defaultdict[str, set[asyncio.Event]] = defaultdict(set)

    def notify(self, question_id: str) -> None:
        """Something of the question was stored."""
        for changed in self.subscribers.get(question_id, ()):
            changed.set()

    @contextmanager
    def subscribe(self, question_id: str) -> Iterator[asyncio.Event]:
        """An event that is set at each change of the question; the subscriber clears it."""
        changed = asyncio.Event()
        self.subscribers[question_id].add(changed)
        try:
            yield changed
        finally:
            self.subscribers[question_id].discard(changed)
            if not self.subscribers[question_id]:
                del self.subscribers[question_id]


class Drain:
    """Graceful shutdown: requests to the engine that have begun may finish, since they are paid for; none begins."""

    def __init__(self) -> None:
        self.closing = False
        self._running: set[asyncio.Event] = set()

    async def admit(self) -> None:
        """Return at once, or never once the process ends: the caller is cancelled then."""
        if self.closing:
            await asyncio.Event().wait()

    @contextmanager
    def request(self) -> Iterator[None]:
        """Around asking one persona, until its answer is handed over to be stored."""
        ended = asyncio.Event()
        self._running.add(ended)
        try:
            yield
        finally:
            self._running.discard(ended)
            ended.set()

    async def close(self, seconds: float) -> None:
        """Admit nobody any more, and wait so long for the requests that have begun."""
        self.closing = True
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                for ended in [*self._running]:
                    await ended.wait()
