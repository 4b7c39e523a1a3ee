"""Exports as rows: made once for each state of a study, worked on by one worker, and gone after a day."""

from dataclasses import dataclass

from sqlalchemy import Column, ColumnElement, LargeBinary, delete, func, select
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from app.internal_api.store.leases import claim_next, is_abandoned
from app.internal_api.store.rows import JobRow, find_one, insert_row, table_of
from app.internal_api.store.studies import studies

KEPT = 3
"""Finished files of one form of one study: older ones are taken back, so that asking again and again fills nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportJob(JobRow):
    """One row without its content, by default one that waits; a job that is worked on has the status `running`."""

    study_id: str
    kind: str
    format: str
    length: str
    progress: int = 0
    file_name: str | None = None
    media_type: str | None = None
    source_version: str  # changes with every answer of the study


jobs = table_of(ExportJob, "export_jobs", Column("content", LargeBinary))
COLUMNS = [column for column in jobs.c if column.name != "content"]


async def demand(connection: AsyncConnection, job: ExportJob, *, force: bool) -> ExportJob:
    """The job itself, stored, or the one that already makes or has made the same.

    With `force` only one that has not begun will do: it will hold what there is then, as a new one would.
    """
    # Two that ask at one moment come one after the other; SQLite lets one writer in at a time anyway.
    await connection.execute(select(studies.c.id).where(studies.c.id == job.study_id).with_for_update())
    good_enough = jobs.c.status == "queued" if force else jobs.c.status != "failed"
    same = (_same_form(job), jobs.c.source_version == job.source_version, good_enough)
    newest = select(*COLUMNS).where(*same).order_by(jobs.c.seq.desc()).limit(1)
    if (found := await find_one(connection, ExportJob, newest)) is not None:
        return found
    await insert_row(connection, job)
    return job


async def find_export(
    connection: AsyncConnection, study_id: str, *, job_id: str | None, kind: str | None, file_format: str | None
) -> ExportJob | None:
    """The newest job of the study with all that is named."""
    named = {jobs.c.id: job_id, jobs.c.kind: kind, jobs.c.format: file_format}
    matching = [column == value for column, value in named.items() if value is not None]
    newest = select(*COLUMNS).where(jobs.c.study_id == study_id, *matching).order_by(jobs.c.seq.desc()).limit(1)
    return await find_one(connection, ExportJob, newest)


async def find_file(connection: AsyncConnection, job_id: str) -> tuple[ExportJob, bytes] | None:
    """A finished job with what it made."""
    of_job = (jobs.c.id == job_id) & (jobs.c.status == "completed") & jobs.c.content.is_not(None)
    row = (await connection.execute(select(jobs).where(of_job))).mappings().one_or_none()
    if row is None:
        return None
    return ExportJob(**{column.name: row[column.name] for column in COLUMNS}), bytes(row["content"])


async def claim_export(engine: AsyncEngine, lease_owner: str, now: int, milliseconds: int) -> ExportJob | None:
    """The next job that nobody works on, taken; None when there is none."""
    free = select(jobs.c.id).where((jobs.c.status == "queued") | is_abandoned(jobs, now))
    return await claim_next(engine, ExportJob, free, lease_owner, now, milliseconds)


async def delete_superseded(connection: AsyncConnection, job: ExportJob) -> None:
    """Take back what is too old beside a job that is completed now."""
    finished = _same_form(job) & (jobs.c.status == "completed")
    newest_first = select(jobs.c.seq).where(finished).order_by(jobs.c.seq.desc())
    oldest_kept = newest_first.offset(KEPT - 1).limit(1).scalar_subquery()
    await connection.execute(delete(jobs).where(finished, jobs.c.seq < oldest_kept))


async def delete_old_exports(connection: AsyncConnection, made_before: int) -> int:
    """How many ended before that, and are gone now."""
    ended = func.coalesce(jobs.c.completed_at, jobs.c.created_at) < made_before
    return (await connection.execute(delete(jobs).where(jobs.c.status.in_(("completed", "failed")), ended))).rowcount


def _same_form(job: ExportJob) -> ColumnElement[bool]:
    form = (jobs.c.kind == job.kind) & (jobs.c.format == job.format) & (jobs.c.length == job.length)
    return (jobs.c.study_id == job.study_id) & form
