"""Who works on a job: taken by one worker, kept by its heartbeats, free again when they stop.

Every write that a worker makes for its job goes through its `Lease` in the same transaction: a worker that was
thought dead and is not finds its lease gone, and writes nothing. Which job is next is said beside the rows of each
kind of job.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, fields
from typing import Any, TypeVar

import structlog
from sqlalchemy import ColumnElement, FromClause, Select, Table, case, func, text, update
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from app.internal_api.store.rows import TABLES, JobRow

Row = TypeVar("Row", bound=JobRow)
log = structlog.get_logger()


class LeaseLost(Exception):
    """The job belongs to another worker now, or is gone."""


@dataclass(frozen=True, slots=True)
class Lease:
    """The right to work on one job; `owner` is different for each taking up, `jobs` is the table it stands in."""

    engine: AsyncEngine
    jobs: Table
    job_id: str
    owner: str
    milliseconds: int
    clock: Callable[[], int]

    async def hold(self, connection: AsyncConnection, **values: Any) -> None:
        """Extend the lease, and write `values` to the job; the job's row stays locked until the commit.

        Raises `LeaseLost`: somebody else has the job, or what it was about is deleted.
        """
        jobs = self.jobs
        if "progress" in values:
            known, new = jobs.c.progress, values["progress"]
            values["progress"] = case((known < new, new), else_=known)
        mine = (jobs.c.id == self.job_id) & (jobs.c.lease_owner == self.owner) & (jobs.c.status == "running")
        extended = {"lease_until": self.clock() + self.milliseconds, **values}
        if (await connection.execute(update(jobs).where(mine).values(extended))).rowcount != 1:
            raise LeaseLost

    async def end(self, connection: AsyncConnection, status: str, **values: Any) -> None:
        """`status` is completed or failed. Raises LeaseLost."""
        if "stage" in self.jobs.c:
            values["stage"] = status
        await self.hold(connection, status=status, completed_at=self.clock(), lease_owner=None, **values)

    @asynccontextmanager
    async def write(self, **values: Any) -> AsyncIterator[AsyncConnection]:
        """A transaction that changes the job too, and fails as a whole with LeaseLost."""
        async with self.engine.begin() as connection:
            await self.hold(connection, **values)
            yield connection

    @asynccontextmanager
    async def kept_alive(self) -> AsyncIterator[None]:
        """Extend the lease beside the body, which is stopped where it is lost or the database does not answer."""
        try:
            async with asyncio.TaskGroup() as group:
                heartbeat = group.create_task(self._beat())
                yield
                heartbeat.cancel()
        except* LeaseLost:
            log.warning("lease.lost", jobs=self.jobs.name, job=self.job_id)
        except* SQLAlchemyError as errors:
            # The lease runs out, and then the job goes on where it was.
            log.warning("lease.interrupted", jobs=self.jobs.name, job=self.job_id, errors=len(errors.exceptions))

    async def _beat(self) -> None:
        while True:
            await asyncio.sleep(self.milliseconds / 3000)
            try:
                async with self.write():
                    pass
            except SQLAlchemyError as error:
                log.warning("lease.heartbeat_missed", job=self.job_id, error=type(error).__name__)


async def give_back(engine: AsyncEngine, jobs: Table, owner: str) -> None:
    """Give back unfinished what `owner` holds: the next worker goes on at once, and this attempt does not count.

    Also a job whose claim was cut off before its worker heard of it. It is called by who is being cancelled, and raises
    nothing that could take the place of that: where the database does not answer, the lease runs out.
    """
    held = (jobs.c.lease_owner == owner) & (jobs.c.status == "running")
    try:
        async with engine.begin() as connection:
            await connection.execute(update(jobs).where(held).values(lease_until=0, attempt=jobs.c.attempt - 1))
    except SQLAlchemyError as error:
        log.warning("lease.not_given_back", jobs=jobs.name, error=type(error).__name__)


async def claim_next(
    engine: AsyncEngine,
    row_type: type[Row],
    free: Select[Any],
    lease_owner: str,
    now: int,
    milliseconds: int,
    *,
    turns: Sequence[ColumnElement[Any]] = (),
    lock: int | None = None,
) -> Row | None:
    """The first of the jobs whose ids `free` selects, by the order of `turns`, taken; None when there is none.

    Claims with the same `lock` wait for each other on PostgreSQL, where others see the same jobs running.
    """
    jobs = TABLES[row_type]
    async with engine.execution_options(read_only=True).connect() as connection:
        # Most looks for a job find nothing; on SQLite a read does not hold up those who write.
        if (await connection.execute(free.limit(1))).first() is None:
            return None
    # One statement: PostgreSQL locks the row that it chooses, SQLite lets one writer in at a time.
    chosen = free.order_by(*turns, jobs.c.seq).limit(1).with_for_update(of=jobs, skip_locked=True)
    taken = {"status": "running", "lease_owner": lease_owner, "lease_until": now + milliseconds}
    if "started_at" in jobs.c:
        taken["started_at"] = func.coalesce(jobs.c.started_at, now)
    take = update(jobs).where(jobs.c.id == chosen.scalar_subquery()).values(attempt=jobs.c.attempt + 1, **taken)
    async with engine.begin() as connection:
        if lock is not None and connection.dialect.name == "postgresql":
            await connection.execute(text("SELECT pg_advisory_xact_lock(:id)"), {"id": lock})
        names = [jobs.c[each.name] for each in fields(row_type)]
        row = (await connection.execute(take.returning(*names))).mappings().one_or_none()
    return None if row is None else row_type(**row)


def is_abandoned(job: FromClause, now: int) -> ColumnElement[bool]:
    """Whether its worker is thought dead."""
    return (job.c.status == "running") & (job.c.lease_until < now)


def is_live(job: FromClause, now: int) -> ColumnElement[bool]:
    """Whether somebody works on it."""
    return (job.c.status == "running") & (job.c.lease_until >= now)
