"""The worker: takes training jobs one by one, works on each to a truthful end, and removes expired demo minds."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import structlog
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncEngine

from app.internal_api.engines.engine import EngineUnavailable
from app.internal_api.settings import InternalApiSettings
from app.internal_api.store.exports import jobs as export_jobs
from app.internal_api.store.jobs import claim
from app.internal_api.store.jobs import jobs as training_jobs
from app.internal_api.store.knowledge import fail_unfinished
from app.internal_api.store.leases import Lease, LeaseLost, end, give_back, kept_alive
from app.internal_api.store.minds import delete_expired_demos
from app.internal_api.store.questions import questions
from app.internal_api.store.rows import count
from app.internal_api.training.stages import LeasedJob, StageFailed, Tools
from app.internal_api.worker_slots import WorkerSlots, beside

log = structlog.get_logger()

QUEUES = {"training": training_jobs, "panel_questions": questions, "panel_exports": export_jobs}


async def count_waiting(engine: AsyncEngine) -> dict[str, int]:
    """How many jobs nobody has begun, by the name of their queue."""
    async with engine.execution_options(read_only=True).connect() as connection:
        return {name: await count(connection, table, table.c.status == "queued") for name, table in QUEUES.items()}


@dataclass(frozen=True, slots=True)
class Worker:
    """Trains minds. Who makes a job here sets `wake`; jobs of other processes are found by polling."""

    engine: AsyncEngine
    tools: Tools
    settings: InternalApiSettings
    clock: Callable[[], int]
    wake: asyncio.Event

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Work beside the body; leases are released when it ends, so that the next start goes on at once."""
        slots = WorkerSlots(
            "training", self.work_once, self.settings.training_concurrency, self.settings.poll_seconds, self.wake
        )
        async with beside(slots.run(), self._housekeeping()):
            yield

    async def work_once(self) -> bool:
        """Take one job and work on it to its end; False when there was none."""
        owner, milliseconds = uuid4().hex, int(self.settings.lease_seconds * 1000)
        # Visitors never hold all lanes; where there is only one, they have it while nobody else waits.
        demo_slots = max(1, self.settings.training_concurrency - 1)
        try:
            job = await claim(self.engine, owner, self.clock(), milliseconds, demo_slots=demo_slots)
            if job is None:
                return False
            work = LeasedJob(self.engine, job, Lease(job.id, owner, milliseconds, training_jobs), self.clock)
            async with kept_alive(self.engine, work.lease, self.clock):
                await self._train_or_fail(work)
        except asyncio.CancelledError:
            await give_back(self.engine, training_jobs, owner)
            raise
        return True

    async def clean(self) -> int:
        """Delete expired demo minds; returns how many."""
        async with self.engine.begin() as connection:
            return await delete_expired_demos(connection, self.clock())

    async def _housekeeping(self) -> None:
        while True:
            try:
                await self.clean()
            except SQLAlchemyError as error:
                log.warning("housekeeping.database_unavailable", error=type(error).__name__)
            await asyncio.sleep(self.settings.housekeeping_seconds)

    async def _train_or_fail(self, work: LeasedJob) -> None:
        if work.job.attempt > self.settings.training_attempts:
            await _fail(work, StageFailed("TIMEOUT", "Training was interrupted too often", retryable=True))
            return
        try:
            async with asyncio.timeout(self.settings.training_seconds):
                await work.run(self.tools)
        except StageFailed as failure:
            # Words and the engine's status only: sentences may quote what strangers wrote.
            logged: dict[str, Any] = {"code": failure.code, "reason": failure.reason}
            if isinstance(failure.__cause__, EngineUnavailable):
                logged |= {"kind": failure.__cause__.kind, "status": failure.__cause__.status}
            log.warning("training.stage_failed", job=work.job.id, **logged)
            await _fail(work, failure)
        except TimeoutError:
            await _fail(work, StageFailed("TIMEOUT", "Training took too long", retryable=True))
        except (LeaseLost, SQLAlchemyError):
            raise
        except Exception:
            # The boundary of a job: a fault in one mind's training must not stop the others.
            log.exception("training.failed", job=work.job.id)
            await _fail(work, StageFailed("INTERNAL", "Training failed unexpectedly", retryable=True))


async def _fail(work: LeasedJob, failure: StageFailed) -> None:
    now, job = work.clock(), work.job
    why = {"error_code": failure.code, "error_reason": failure.reason, "message": failure.message}
    async with work.engine.begin() as connection:
        await end(connection, work.lease, now, "failed", **why, retryable=failure.retryable)
        await fail_unfinished(connection, job.mind_id, job.item_id, failure.message, now)
