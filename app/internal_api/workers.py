"""How workers run beside the server: slots that take jobs one after another, wake-ups between tasks, and shutdown."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import asynccontextmanager, suppress
from typing import Any, ClassVar, Generic, TypeVar
from uuid import uuid4

import structlog
from sqlalchemy import Table
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncEngine

from app.internal_api.services import Services
from app.internal_api.store.leases import Lease, LeaseLost, give_back
from app.internal_api.store.rows import JobRow

RETRY_SECONDS = 1.0  # at most so long until a database that was busy or away is tried again

Row = TypeVar("Row", bound=JobRow)
log = structlog.get_logger()


class Worker(Generic[Row]):
    """Works on the jobs of one table, some at once; subclasses say how one is claimed, worked on, and ended by a fault.

    Who makes a job in this process sets `wake`; jobs of other processes are found by polling: idle slots take turns
    at it, so that an idle process polls every `poll_seconds` whatever the number of its slots.
    """

    jobs: ClassVar[Table]
    claim: Callable[[AsyncEngine, str, int, int], Awaitable[Row | None]]
    """The next job that nobody works on, taken by an owner, now, for milliseconds; None when there is none."""

    def __init__(
        self, services: Services, wake: asyncio.Event, *, slots: int, lease_seconds: float, seconds: float | None = None
    ) -> None:
        """`seconds` is the longest work on one job."""
        self.services, self.wake, self.slots, self.seconds = services, wake, slots, seconds
        self._lease_milliseconds, self._idle, self._claiming = int(lease_seconds * 1000), 0, asyncio.Lock()

    async def work(self, job: Row, lease: Lease) -> None:
        """Work on a claimed job to its end. Raises LeaseLost."""
        raise NotImplementedError

    async def fail(self, job: Row, lease: Lease, error: Exception) -> None:  # noqa: ARG002  subclasses end the job
        """Log a fault; the job stays, and is claimed again when its lease has run out. Raises LeaseLost."""
        log.error("worker.job_failed", jobs=lease.jobs.name, job=lease.job_id, exc_info=error)

    async def clean(self) -> int:
        """Delete what has expired; returns how many."""
        return 0

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Work beside the body; leases are released when it ends, so that the next start goes on at once."""
        async with beside(self._housekeeping(), self._run_slots()):
            yield

    async def work_once(self) -> bool:
        """Take one job and work on it to its end; False when there was none."""
        owner, services = uuid4().hex, self.services
        try:
            # One slot after the other: two that claim at once would both take a job of the same owner.
            async with self._claiming:
                job = await self.claim(services.engine, owner, services.clock(), self._lease_milliseconds)
            if job is None:
                return False
            lease = Lease(services.engine, self.jobs, job.id, owner, self._lease_milliseconds, services.clock)
            async with lease.kept_alive():
                await self._work_or_fail(job, lease)
        except asyncio.CancelledError:
            await give_back(services.engine, self.jobs, owner)
            raise
        return True

    async def _work_or_fail(self, job: Row, lease: Lease) -> None:
        try:
            async with asyncio.timeout(self.seconds):
                await self.work(job, lease)
        except* (LeaseLost, SQLAlchemyError):
            raise
        except* Exception as errors:  # noqa: BLE001  the boundary of a job: a fault in one must not stop the others
            await self.fail(job, lease, errors.exceptions[0])

    async def _run_slots(self) -> None:
        # A group cancels each slot once, so that nothing interrupts what it still writes.
        async with asyncio.TaskGroup() as group:
            for _ in range(self.slots):
                group.create_task(self._slot())

    async def _slot(self) -> None:
        while True:
            # A library may have raised a fault of its own in the place of a cancellation, which comes only once.
            if (task := asyncio.current_task()) is not None and task.cancelling():
                raise asyncio.CancelledError
            poll_seconds = self.services.settings.poll_seconds
            try:
                found = await self.work_once()
            except SQLAlchemyError as error:
                log.warning("worker.database_unavailable", jobs=self.jobs.name, error=type(error).__name__)
                await asyncio.sleep(min(poll_seconds, RETRY_SECONDS))
                continue
            if found:
                continue
            self._idle += 1
            try:
                with suppress(TimeoutError):
                    async with asyncio.timeout(poll_seconds * self._idle):
                        await self.wake.wait()
            finally:
                self._idle -= 1
            self.wake.clear()

    async def _housekeeping(self) -> None:
        while True:
            try:
                await self.clean()
            except SQLAlchemyError as error:
                log.warning("housekeeping.database_unavailable", jobs=self.jobs.name, error=type(error).__name__)
            await asyncio.sleep(self.services.settings.housekeeping_seconds)


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
