"""Training jobs as rows: queued, and looked at."""

from dataclasses import asdict, dataclass
from uuid import uuid4

from sqlalchemy import insert, select
from sqlalchemy.ext.asyncio import AsyncConnection

from app.internal_api.tables import training_jobs

TRAINING = "training"  # the whole mind
KNOWLEDGE = "knowledge"  # one item of a mind, ready or not
PROMPT = "prompt"  # only the prompt of a mind that is ready
UNFINISHED = ("queued", "running")


@dataclass(frozen=True, slots=True)
class Job:
    """One row. `stage` is the stage being worked on; those before it are finished."""

    seq: int  # given by the database; 0 before that

    id: str
    mind_id: str
    kind: str
    item_id: str | None
    status: str
    stage: str
    progress: int
    message: str | None
    error_code: str | None
    error_reason: str | None
    retryable: bool | None
    attempt: int
    lease_owner: str | None
    lease_until: int | None
    created_at: int
    started_at: int | None
    completed_at: int | None


def new_job(mind_id: str, kind: str, now: int, *, item_id: str | None = None) -> Job:
    """A job that waits for a worker."""
    return Job(
        seq=0,
        id=str(uuid4()),
        mind_id=mind_id,
        kind=kind,
        item_id=item_id,
        status="queued",
        stage="queued",
        progress=0,
        message="Waiting to start",
        error_code=None,
        error_reason=None,
        retryable=None,
        attempt=0,
        lease_owner=None,
        lease_until=None,
        created_at=now,
        started_at=None,
        completed_at=None,
    )


async def insert_job(connection: AsyncConnection, job: Job) -> None:
    """Raises IntegrityError when the mind has a training that is not finished."""
    row = {key: value for key, value in asdict(job).items() if key != "seq"}
    await connection.execute(insert(training_jobs).values(row))


async def latest_training(connection: AsyncConnection, mind_id: str) -> Job:
    """The training that a mind's status speaks of; every mind has one from its first moment."""
    of_mind = (training_jobs.c.mind_id == mind_id) & (training_jobs.c.kind == TRAINING)
    newest = select(training_jobs).where(of_mind).order_by(training_jobs.c.seq.desc()).limit(1)
    rows = await connection.execute(newest)
    return Job(**rows.mappings().one())
