"""Minds as rows, the demo minds among them, which expire, and the training jobs of minds.

A job is queued, looked at, claimed fairly between owners, and ended by the worker that holds it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import case, delete, exists, func, select, text
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from app.internal_api.store.leases import claim_next, is_abandoned, is_live
from app.internal_api.store.rows import JobRow, OwnedRow, count, table_of

QUOTA_LOCK = 72_616_002  # any constant: what all who count demo minds before adding one agree on
TRAINING = "training"  # the whole mind
KNOWLEDGE = "knowledge"  # one item of a mind, ready or not
PROMPT = "prompt"  # only the prompt of a mind that is ready
NO_DESCRIPTION = "Created via API"  # the contract's default, which says nothing of the mind
UNFINISHED = ("queued", "running")
CLAIM_LOCK = 72_616_003  # any constant: what all who claim jobs agree on


@dataclass(frozen=True, slots=True, kw_only=True)
class Mind(OwnedRow):
    description: str
    discipline: str | None
    type: str
    mode: str
    source_policy: str
    tags: Sequence[str]
    keywords: Sequence[str]
    context: str  # what the owner said of the persona; feeds the profile
    locale: str | None
    is_real_person: bool
    profile_image_url: str | None
    profile: Mapping[str, Any] | None = None  # what the profile stage made: discipline, description, traits
    system_prompt: str | None = None
    search_text: str  # case-folded name, description, discipline: the databases fold differently
    idempotency_key: str | None = None
    idempotency_digest: str | None = None  # of the body that came with the key
    demo_token_hash: str | None = None
    demo_expires_at: int | None = None

    @property
    def described(self) -> str:
        """What its owner described it as, where that was done."""
        return "" if self.description == NO_DESCRIPTION else self.description

    @property
    def ready(self) -> bool:
        """Whether it may be talked to: training has written its prompt at least once."""
        return self.system_prompt is not None


minds = table_of(Mind, "minds")


async def count_live_demos(connection: AsyncConnection, now: int) -> int:
    """How many are alive; holds off other counters until the transaction ends, so that the quota is exact."""
    if connection.dialect.name == "postgresql":
        # SQLite needs nothing here: its writing transactions run one after another.
        await connection.execute(text("SELECT pg_advisory_xact_lock(:id)"), {"id": QUOTA_LOCK})
    return await count(connection, minds, minds.c.demo_expires_at > now)


async def delete_expired_demos(connection: AsyncConnection, now: int) -> int:
    """Returns how many went."""
    return (await connection.execute(delete(minds).where(minds.c.demo_expires_at <= now))).rowcount


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


training_jobs = table_of(Job, "training_jobs")


_latest = (
    select(training_jobs.c.status)
    .where(training_jobs.c.mind_id == minds.c.id, training_jobs.c.kind == TRAINING)
    .order_by(training_jobs.c.seq.desc())
    .limit(1)
    .correlate(minds)
    .scalar_subquery()
)
STATE = case((minds.c.system_prompt.is_not(None), "completed"), else_=_latest)
"""Of each mind in a query: completed once it may be talked to, before that the status of its latest training."""


async def latest_training(connection: AsyncConnection, mind_id: str) -> Job:
    """The training that a mind's status speaks of; every mind has one from its first moment."""
    of_mind = select(training_jobs).where(training_jobs.c.mind_id == mind_id, training_jobs.c.kind == TRAINING)
    return Job(**(await connection.execute(of_mind.order_by(training_jobs.c.seq.desc()).limit(1))).mappings().one())


async def claim(
    engine: AsyncEngine, lease_owner: str, now: int, milliseconds: int, *, demo_slots: int = 1
) -> Job | None:
    """The next job that nobody works on, taken; None when there is none.

    A mind's jobs run one after another, so a job waits while another of its mind is running. No owner holds up
    the others: those who are signed in come before the visitors, whose jobs run `demo_slots` at a time at most;
    then whoever has the fewest jobs running, and then whoever was served the longest ago.
    """
    other, of_other, demo = training_jobs.alias(), minds.alias(), minds.c.demo_expires_at.is_not(None)
    beside = exists().where(
        other.c.mind_id == training_jobs.c.mind_id, other.c.id != training_jobs.c.id, other.c.status == "running"
    )
    counted = select(func.count()).select_from(other.join(of_other, of_other.c.id == other.c.mind_id))
    running = counted.where(is_live(other, now))
    demos_running = running.where(of_other.c.demo_expires_at.is_not(None)).scalar_subquery()
    free = select(training_jobs.c.id).join(minds, minds.c.id == training_jobs.c.mind_id)
    free = free.where(((training_jobs.c.status == "queued") & ~beside) | is_abandoned(training_jobs, now))
    free = free.where(~demo | (demos_running < demo_slots))
    of_owner = of_other.c.owner_id == minds.c.owner_id
    last_served = counted.with_only_columns(func.coalesce(func.max(other.c.started_at), 0)).where(of_owner)
    owners = (each.correlate(minds).scalar_subquery() for each in (running.where(of_owner), last_served))
    turns = (case((demo, 1), else_=0), *owners)
    try:
        # Two claims at one moment would count the same jobs running and take one too many.
        return await claim_next(engine, Job, free, lease_owner, now, milliseconds, turns=turns, lock=CLAIM_LOCK)
    except IntegrityError:
        return None  # another job of the same mind was taken at the same moment
