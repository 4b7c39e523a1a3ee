"""Where one job is worked on: every write in one transaction with the proof that the job is still ours."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from app.internal_api.store.jobs import Job
from app.internal_api.store.leases import Lease, LeaseLost, holding
from app.internal_api.store.minds import Mind, find_mind
from app.internal_api.training.plan import progress


class StageFailed(Exception):
    """The job cannot be finished; `message` is shown to the owner, `reason` is a stable word for it, where known."""

    def __init__(self, code: str, message: str, *, retryable: bool, reason: str | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.retryable = retryable
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Desk:
    """A claimed job and the right to work on it."""

    engine: AsyncEngine
    job: Job
    lease: Lease
    clock: Callable[[], int]

    @asynccontextmanager
    async def write(self, **values: Any) -> AsyncIterator[AsyncConnection]:
        """A transaction that changes the job too, and fails as a whole with LeaseLost."""
        async with holding(self.engine, self.lease, self.clock, **values) as connection:
            yield connection

    @asynccontextmanager
    async def read(self) -> AsyncIterator[AsyncConnection]:
        async with self.engine.execution_options(read_only=True).connect() as connection:
            yield connection

    async def say(self, stage: str, message: str, done: int = 0, total: int = 1) -> None:
        """Tell how far the job is; whoever asks for the status reads it."""
        async with self.write(stage=stage, message=message, progress=progress(stage, done, total)):
            pass

    async def mind(self) -> Mind:
        """The mind of the job; LeaseLost when it was deleted meanwhile, since its jobs went with it."""
        async with self.read() as connection:
            mind = await find_mind(connection, self.job.mind_id)
        if mind is None:
            raise LeaseLost
        return mind
