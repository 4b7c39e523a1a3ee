"""Lanes: each takes one job after another, as many side by side as a process may work on."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

import structlog
from sqlalchemy.exc import SQLAlchemyError

log = structlog.get_logger()


@dataclass(slots=True)
class Lanes:
    """`work_once` takes one job and works on it to its end; False when there was none.

    Who makes a job here sets `wake`; jobs of other processes are found by looking every `poll_seconds`: the lanes that
    have nothing to do take turns at it, so that an idle process looks as seldom with many lanes as with one.
    """

    kind: str
    work_once: Callable[[], Awaitable[bool]]
    count: int
    poll_seconds: float
    wake: asyncio.Event
    _resting: int = field(default=0, init=False)

    async def run(self) -> None:
        """Work until cancelled."""
        async with asyncio.TaskGroup() as group:
            for _ in range(self.count):
                group.create_task(self._lane())

    async def _lane(self) -> None:
        while True:
            _end_if_told()
            try:
                found = await self.work_once()
            except SQLAlchemyError as error:
                log.warning("lane.database_unavailable", kind=self.kind, error=type(error).__name__)
                await asyncio.sleep(self.poll_seconds)
                continue
            if not found:
                await self._rest()

    async def _rest(self) -> None:
        self._resting += 1
        try:
            with suppress(TimeoutError):
                async with asyncio.timeout(self.poll_seconds * self._resting):
                    await self.wake.wait()
        finally:
            self._resting -= 1
        self.wake.clear()


def _end_if_told() -> None:
    """Whatever raised its own fault in the place of a cancellation: the lane is not told to end a second time."""
    task = asyncio.current_task()
    if task is not None and task.cancelling():
        raise asyncio.CancelledError


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
