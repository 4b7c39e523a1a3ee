"""The worker: takes jobs one by one, keeps its leases alive, and removes what has expired."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from uuid import uuid4

import structlog
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncEngine

from app.internal_api.settings import InternalApiSettings
from app.internal_api.store.demos import delete_expired_demos
from app.internal_api.store.leases import Lease, give_back
from app.internal_api.store.training_claims import claim
from app.internal_api.tables import training_jobs
from app.internal_api.training.desk import Desk
from app.internal_api.training.run import run
from app.internal_api.training.sources import Tools
from app.internal_api.worker_slots import WorkerSlots, beside

log = structlog.get_logger()


class Worker:
    """Trains minds. Who makes a job here sets `wake`; jobs of other processes are found by polling."""

    def __init__(
        self,
        engine: AsyncEngine,
        tools: Tools,
        settings: InternalApiSettings,
        clock: Callable[[], int],
        wake: asyncio.Event,
    ) -> None:
        self._engine = engine
        self._tools = tools
        self._settings = settings
        self._clock = clock
        self._wake = wake

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Work beside the body; leases are released when it ends, so that the next start goes on at once."""
        settings = self._settings
        slots = WorkerSlots(
            "training", self.work_once, settings.training_concurrency, settings.poll_seconds, self._wake
        )
        async with beside(slots.run(), self._housekeeping()):
            yield

    async def work_once(self) -> bool:
        """Take one job and work on it to its end; False when there was none."""
        owner = uuid4().hex
        try:
            return await self._work(owner)
        except asyncio.CancelledError:
            await give_back(self._engine, training_jobs, owner)
            raise

    async def _work(self, owner: str) -> bool:
        milliseconds = int(self._settings.lease_seconds * 1000)
        # Visitors never hold all slots; where there is only one, they have it while nobody else waits.
        demo_slots = max(1, self._settings.training_concurrency - 1)
        job = await claim(self._engine, owner, self._clock(), milliseconds, demo_slots=demo_slots)
        if job is None:
            return False
        desk = Desk(self._engine, job, Lease(job.id, owner, milliseconds, training_jobs), self._clock)
        await run(desk, self._tools, self._settings)
        return True

    async def clean(self) -> int:
        """Delete expired demo minds; returns how many."""
        async with self._engine.begin() as connection:
            return await delete_expired_demos(connection, self._clock())

    async def _housekeeping(self) -> None:
        while True:
            try:
                await self.clean()
            except SQLAlchemyError as error:
                log.warning("housekeeping.database_unavailable", error=type(error).__name__)
            await asyncio.sleep(self._settings.housekeeping_seconds)
