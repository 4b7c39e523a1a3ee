"""Training jobs as rows: queued, looked at, claimed fairly between owners, and ended by the worker that holds one."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, FromClause, case, exists, func, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from app.internal_api.store.leases import claim_next, is_abandoned, is_live
from app.internal_api.store.minds import minds
from app.internal_api.store.rows import JobRow, table_of

TRAINING = "training"  # the whole mind
KNOWLEDGE = "knowledge"  # one item of a mind, ready or not
PROMPT = "prompt"  # only the prompt of a mind that is ready
UNFINISHED = ("queued", "running")
CLAIM_LOCK = 72_616_003  # any constant: what all who claim jobs agree on


@dataclass(frozen=True, slots=True, kw_only=True)
class Job(JobRow):
    """One training, by default one that waits for a worker. Stages before `stage` are finished."""

    mind_id: str
    kind: str
    item_id: str | None = None
    stage: str = "queued"
    progress: int = 0
    message: str | None = "Waiting to start"
    error_reason: str | None = None  # why all sources were refused, where it was the same for all
    retryable: bool | None = None
    started_at: int | None = None


jobs = table_of(Job, "training_jobs")


async def latest_training(connection: AsyncConnection, mind_id: str) -> Job:
    """The training that a mind's status speaks of; every mind has one from its first moment."""
    of_mind = select(jobs).where(jobs.c.mind_id == mind_id, jobs.c.kind == TRAINING)
    return Job(**(await connection.execute(of_mind.order_by(jobs.c.seq.desc()).limit(1))).mappings().one())


async def claim(
    engine: AsyncEngine, lease_owner: str, now: int, milliseconds: int, *, demo_slots: int = 1
) -> Job | None:
    """The next job that nobody works on, taken; None when there is none.

    A mind's jobs run one after another, so a job waits while another of its mind is running. No owner holds up
    the others: those who are signed in come before the visitors, whose jobs run `demo_slots` at a time at most;
    then whoever has the fewest jobs running, and then whoever was served the longest ago.
    """
    with_minds = select(jobs.c.id).join(minds, _is_of(jobs, minds))
    free = with_minds.where(_is_free(now), _within_demo_slots(now, demo_slots))
    try:
        # Two claims at one moment would count the same jobs running and take one too many.
        return await claim_next(engine, Job, free, lease_owner, now, milliseconds, turns=_turns(now), lock=CLAIM_LOCK)
    except IntegrityError:
        return None  # another job of the same mind was taken at the same moment


def _is_free(now: int) -> ColumnElement[bool]:
    other = jobs.alias()
    beside = exists().where(other.c.mind_id == jobs.c.mind_id, other.c.id != jobs.c.id, other.c.status == "running")
    return ((jobs.c.status == "queued") & ~beside) | is_abandoned(jobs, now)


def _within_demo_slots(now: int, demo_slots: int) -> ColumnElement[bool]:
    other, of_other = jobs.alias(), minds.alias()
    running = (
        select(func.count())
        .select_from(other.join(of_other, _is_of(other, of_other)))
        .where(is_live(other, now), _is_demo(of_other))
    )
    return ~_is_demo(minds) | (running.scalar_subquery() < demo_slots)


def _turns(now: int) -> Sequence[ColumnElement[Any]]:
    other, of_other = jobs.alias(), minds.alias()
    of_owner = select().select_from(other.join(of_other, _is_of(other, of_other)))
    of_owner = of_owner.where(of_other.c.owner_id == minds.c.owner_id)
    running = of_owner.add_columns(func.count()).where(is_live(other, now))
    served = of_owner.add_columns(func.coalesce(func.max(other.c.started_at), 0))
    owner = [each.correlate(minds).scalar_subquery() for each in (running, served)]
    return (case((_is_demo(minds), 1), else_=0), *owner)


def _is_of(job: FromClause, mind: FromClause) -> ColumnElement[bool]:
    return job.c.mind_id == mind.c.id


def _is_demo(mind: FromClause) -> ColumnElement[bool]:
    return mind.c.demo_expires_at.is_not(None)
