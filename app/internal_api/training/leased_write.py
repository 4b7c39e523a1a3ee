"""One claimed job: every write in one transaction with the proof that the lease still holds, and its progress."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Any

from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from app.internal_api.store.jobs import KNOWLEDGE, PROMPT, TRAINING, Job
from app.internal_api.store.leases import Lease, LeaseLost, holding
from app.internal_api.store.minds import Mind
from app.internal_api.store.rows import find_row

STAGES: Mapping[str, Sequence[str]] = {
    TRAINING: ("profile", "collect", "index", "prompt"),
    KNOWLEDGE: ("collect", "index", "prompt"),
    PROMPT: ("prompt",),
}
# Where the progress stands when a stage begins and when it ends; collecting waits for the network most.
SHARES: Mapping[str, tuple[int, int]] = {
    "profile": (3, 10),
    "collect": (10, 55),
    "index": (55, 85),
    "prompt": (85, 99),
}


class StageFailed(Exception):
    """The job cannot be finished; `message` is shown to the owner, `reason` is a stable word for it, where known."""

    def __init__(self, code: str, message: str, *, retryable: bool, reason: str | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.retryable = retryable
        self.reason = reason


@dataclass(frozen=True, slots=True)
class LeasedJob:
    """A claimed job and the right to work on it."""

    engine: AsyncEngine
    job: Job
    lease: Lease
    clock: Callable[[], int]

    @property
    def remaining(self) -> Sequence[str]:
        """The stages still to do, the one that was begun first: it may have been cut off."""
        stages = STAGES[self.job.kind]
        return stages[stages.index(self.job.stage) :] if self.job.stage in stages else stages

    def write(self, **values: Any) -> AbstractAsyncContextManager[AsyncConnection]:
        """A transaction that changes the job too, and fails as a whole with LeaseLost."""
        return holding(self.engine, self.lease, self.clock, **values)

    def read(self) -> AsyncConnection:
        """A connection, to be entered, that waits for no writer."""
        return self.engine.execution_options(read_only=True).connect()

    def report(
        self, stage: str, message: str, done: int = 0, total: int = 1
    ) -> AbstractAsyncContextManager[AsyncConnection]:
        """A write that also says how far the job is: `done` of `total` parts of a stage are finished."""
        begin, end = SHARES[stage]
        return self.write(stage=stage, message=message, progress=begin + (end - begin) * done // max(total, 1))

    async def mind(self) -> Mind:
        """The mind of the job; LeaseLost when it was deleted meanwhile, since its jobs went with it."""
        async with self.read() as connection:
            mind = await find_row(connection, Mind, self.job.mind_id)
        if mind is None:
            raise LeaseLost
        return mind
