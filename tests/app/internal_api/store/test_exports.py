"""An export is made once for what there is to tell, by one worker, and is gone after a day."""

from dataclasses import replace

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncEngine

from app.internal_api.store.exports import (
    KEPT,
    ExportJob,
    claim_export,
    delete_old_exports,
    delete_superseded,
    demand,
    find_export,
)
from app.internal_api.store.exports import jobs as export_jobs
from app.internal_api.store.leases import Lease
from tests.app.internal_api.panels.stored import BOBS_STUDY, STUDY, store_study


def new(
    version: str = "v1", file_format: str = "md", *, study_id: str = STUDY.id, length: str = "standard"
) -> ExportJob:
    return ExportJob(
        study_id=study_id, kind="full_report", format=file_format, length=length, source_version=version, created_at=10
    )


async def demanded(engine: AsyncEngine, job: ExportJob, *, force: bool = False) -> str:
    async with engine.begin() as connection:
        return (await demand(connection, job, force=force)).id


async def made(engine: AsyncEngine, now: int = 20, content: bytes = b"file") -> str:
    """Take the next job, and finish it."""
    job = await claim_export(engine, "me", now, 100)
    assert job is not None
    async with engine.begin() as connection:
        lease = Lease(engine, export_jobs, job.id, "me", 100, lambda: now)
        await lease.end(connection, "completed", content=content, file_name="a.md", media_type="text/markdown")
        await delete_superseded(connection, job)
    return job.id


async def count(engine: AsyncEngine) -> int:
    async with engine.connect() as connection:
        return (await connection.execute(select(func.count()).select_from(export_jobs))).scalar_one()


async def test_the_newest_is_found_by_kind_and_format_and_in_its_own_study_only(engine: AsyncEngine) -> None:
    await store_study(engine)
    await store_study(engine, study=BOBS_STUDY)
    jobs = [new("v1"), new("v2"), new("v1", "csv"), new(study_id=BOBS_STUDY.id)]
    for job in jobs:
        await demanded(engine, job)

    async def found(**named: str | None) -> str | None:
        wanted = {"job_id": None, "kind": None, "file_format": None, **named}
        async with engine.connect() as connection:
            job = await find_export(connection, STUDY.id, **wanted)
        return None if job is None else job.id

    assert await found() == jobs[2].id
    assert await found(file_format="md") == jobs[1].id
    assert await found(kind="full_report", file_format="csv") == jobs[2].id
    assert await found(kind="raw_data") is None
    assert await found(job_id=jobs[0].id) == jobs[0].id
    assert await found(job_id=jobs[3].id) is None


async def test_only_the_last_files_of_a_form_are_kept(engine: AsyncEngine) -> None:
    await store_study(engine)
    await demanded(engine, new(file_format="csv"))
    kept = [await made(engine)]
    for number in range(KEPT + 2):
        await demanded(engine, new(f"v{number}"))
        kept.append(await made(engine))

    async with engine.connect() as connection:
        left = list((await connection.execute(select(export_jobs.c.id).order_by(export_jobs.c.seq))).scalars())

    assert left == [kept[0], *kept[-KEPT:]]


async def test_what_ended_long_ago_is_deleted_and_what_waits_is_not(engine: AsyncEngine) -> None:
    await store_study(engine)
    await demanded(engine, new("old"))
    await made(engine, now=20)
    await demanded(engine, new("new"))
    await made(engine, now=50)
    await demanded(engine, replace(new("waiting"), created_at=1))

    async with engine.begin() as connection:
        deleted = await delete_old_exports(connection, 50)

    assert (deleted, await count(engine)) == (1, 2)
