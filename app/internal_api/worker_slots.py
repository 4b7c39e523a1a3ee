"""Worker slots: each takes one job after another, so that a process works on a limited number at once."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import asynccontextmanager, suppress
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
            if not found:
                await self._wait_for_work()

    async def _wait_for_work(self) -> None:
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
