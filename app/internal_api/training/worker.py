"""The worker: takes training jobs one by one, works on each to a truthful end, and removes expired demo minds."""

from functools import partial
from typing import Any

import structlog
from sqlalchemy.ext.asyncio import AsyncEngine

from app.internal_api.engines.engine import EngineUnavailable
from app.internal_api.services import Services
from app.internal_api.store.exports import jobs as export_jobs
from app.internal_api.store.knowledge import fail_unfinished
from app.internal_api.store.leases import Lease
from app.internal_api.store.minds import Job, claim, delete_expired_demos, training_jobs
from app.internal_api.store.questions import questions
from app.internal_api.store.rows import count
from app.internal_api.training.stages import LeasedJob, StageFailed
from app.internal_api.workers import Worker

log = structlog.get_logger()

QUEUES = {"training": training_jobs, "panel_questions": questions, "panel_exports": export_jobs}


async def count_waiting(engine: AsyncEngine) -> dict[str, int]:
    """How many jobs nobody has begun, by the name of their queue."""
    async with engine.execution_options(read_only=True).connect() as connection:
        return {name: await count(connection, table, table.c.status == "queued") for name, table in QUEUES.items()}


class TrainingWorker(Worker[Job]):
    jobs = training_jobs

    def __init__(self, services: Services) -> None:
        settings, wake = services.settings, services.wake_training
        slots, seconds = settings.training_concurrency, settings.training_seconds
        super().__init__(services, wake, slots=slots, lease_seconds=settings.lease_seconds, seconds=seconds)
        # Visitors never hold all slots; where there is only one, they have it while nobody else waits.
        self.claim = partial(claim, demo_slots=max(1, slots - 1))

    async def work(self, job: Job, lease: Lease) -> None:
        """Work through the stages still to do. Raises StageFailed, LeaseLost."""
        if job.attempt > self.services.settings.training_attempts:
            raise StageFailed("TIMEOUT", "Training was interrupted too often", retryable=True)
        await LeasedJob(self.services, job, lease).run()

    async def fail(self, job: Job, lease: Lease, error: Exception) -> None:
        """The job ends with what its owner may know of the error, and so does what it leaves undone."""
        if isinstance(error, StageFailed):
            failure = error
            # Words and the engine's status only: sentences may quote what strangers wrote.
            logged: dict[str, Any] = {"code": failure.code, "reason": failure.reason}
            if isinstance(failure.__cause__, EngineUnavailable):
                logged |= {"kind": failure.__cause__.kind, "status": failure.__cause__.status}
            log.warning("training.stage_failed", job=job.id, **logged)
        elif isinstance(error, TimeoutError):
            failure = StageFailed("TIMEOUT", "Training took too long", retryable=True)
        else:
            await super().fail(job, lease, error)
            failure = StageFailed("INTERNAL", "Training failed unexpectedly", retryable=True)
        why = {"error_code": failure.code, "error_reason": failure.reason, "message": failure.message}
        async with self.services.engine.begin() as connection:
            await lease.end(connection, "failed", **why, retryable=failure.retryable)
            await fail_unfinished(connection, job.mind_id, job.item_id, failure.message, self.services.clock())

    async def clean(self) -> int:
        async with self.services.engine.begin() as connection:
            return await delete_expired_demos(connection, self.services.clock())
