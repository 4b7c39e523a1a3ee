"""Exports are made by one worker at a time, survive it, and end in a file or a truthful failure."""

import asyncio
from typing import Any

import pytest
from sqlalchemy import delete, update
from sqlalchemy.ext.asyncio import AsyncEngine

from app.internal_api.panels.exporting import Exporter
from app.internal_api.panels.reports.rendering import RenderingFailed
from app.internal_api.panels.reports.report import Report
from app.internal_api.settings import InternalApiSettings
from app.internal_api.store.exports import ExportJob, demand, find_export, find_file
from app.internal_api.study_tables import export_jobs, studies
from tests.app.internal_api.panels.rows import another, answers, pending
from tests.app.internal_api.panels.stored import STUDY, store_study
from tests.app.internal_api.support import Clock, Gate, within

ASKED = [
    (another(1, "scale", text="How likely?"), answers("5", "4", None)),
    (another(2, text="Why?", status="running"), [*answers("Price"), pending(1)]),
]


class Desk:
    """An exporter whose writer can be held up or broken."""

    def __init__(self, engine: AsyncEngine, **settings: Any) -> None:
        self.engine = engine
        self.clock = Clock()
        self.wake = asyncio.Event()
        self.settings = InternalApiSettings().model_copy(update=settings)
        self.reports: list[Report] = []
        self.gate: Gate | None = None
        self.broken: Exception | None = None

    async def render(self, report: Report, file_format: str) -> bytes:
        self.reports.append(report)
        if self.gate is not None:
            await self.gate.passed()
        if self.broken is not None:
            raise self.broken
        return f"{file_format} of {report.study}".encode()

    def exporter(self) -> Exporter:
        return Exporter(self.engine, self.settings, self.clock, self.wake, self.render)

    async def demand(self, file_format: str = "md", version: str = "v") -> str:
        job = ExportJob(
            study_id=STUDY.id,
            kind="full_report",
            format=file_format,
            length="standard",
            source_version=version,
            created_at=self.clock(),
        )
        async with self.engine.begin() as connection:
            return (await demand(connection, job, force=False)).id

    async def job(self, job_id: str) -> ExportJob:
        async with self.engine.connect() as connection:
            found = await find_export(connection, STUDY.id, job_id=job_id, kind=None, file_format=None)
        assert found is not None
        return found

    async def content(self, job_id: str) -> bytes | None:
        async with self.engine.connect() as connection:
            found = await find_file(connection, job_id)
        return found and found[1]


@pytest.fixture
async def desk(engine: AsyncEngine) -> Desk:
    await store_study(engine, ASKED)
    return Desk(engine)


async def test_a_job_ends_in_a_file_that_tells_everything_there_is(desk: Desk) -> None:
    job_id = await desk.demand()

    worked = [await desk.exporter().work_once() for _ in range(2)]

    job, (report,) = await desk.job(job_id), desk.reports
    assert worked == [True, False]
    assert (job.status, job.progress, job.file_name) == ("completed", 100, "pricing-full-report.md")
    assert job.media_type == "text/markdown; charset=utf-8"
    assert await desk.content(job_id) == b"md of Pricing"
    assert [question.title for question in report.questions] == ["How likely?", "Why?"]
    assert (report.unfinished, report.generated_at) == (1, "2023-11-14T22:13:20.000Z")
    assert report.questions[0].audiences[0].failed == 1


@pytest.mark.parametrize("fault", [RenderingFailed(), ValueError("bug")])
async def test_what_cannot_be_made_fails_and_the_next_job_is_done(desk: Desk, fault: Exception) -> None:
    first, second = await desk.demand("md"), await desk.demand("csv")
    desk.broken = fault

    await desk.exporter().work_once()
    desk.broken = None
    await desk.exporter().work_once()

    assert ((await desk.job(first)).status, (await desk.job(first)).error_code) == ("failed", "EXPORT_FAILED")
    assert (await desk.job(second)).status == "completed"


async def test_what_takes_too_long_fails(engine: AsyncEngine) -> None:
    await store_study(engine, ASKED)
    desk = Desk(engine, export_seconds=0.05)
    desk.gate = Gate()
    job_id = await desk.demand()

    await within(desk.exporter().work_once())

    assert (await desk.job(job_id)).status == "failed"


async def test_progress_is_seen_while_a_file_is_made(desk: Desk) -> None:
    job_id = await desk.demand()
    desk.gate = Gate()
    working = asyncio.create_task(desk.exporter().work_once())
    await within(desk.gate.reached.wait())

    during = await desk.job(job_id)
    desk.gate.open.set()
    await within(working)

    assert during.status == "running"
    assert 0 < during.progress < 100


async def test_an_exporter_that_is_stopped_gives_its_job_back(desk: Desk) -> None:
    job_id = await desk.demand()
    desk.gate = Gate()
    async with desk.exporter().running():
        await within(desk.gate.reached.wait())

    desk.gate = None
    await desk.exporter().work_once()

    job = await desk.job(job_id)
    assert (job.status, job.attempt) == ("completed", 1)


async def test_the_job_of_a_killed_exporter_is_done_when_its_lease_has_run_out(desk: Desk) -> None:
    job_id = await desk.demand()
    async with desk.engine.begin() as connection:
        until = desk.clock() + 1000
        killed = {"status": "running", "attempt": 1, "lease_owner": "killed", "lease_until": until}
        await connection.execute(update(export_jobs).values(killed))

    early = await desk.exporter().work_once()
    desk.clock.forward(2)
    late = await desk.exporter().work_once()

    assert (early, late) == (False, True)
    assert (await desk.job(job_id)).status == "completed"


async def test_a_job_that_kills_its_workers_is_given_up(desk: Desk) -> None:
    job_id = await desk.demand()
    async with desk.engine.begin() as connection:
        await connection.execute(update(export_jobs).values(attempt=3))

    await desk.exporter().work_once()

    assert (await desk.job(job_id)).status == "failed"
    assert desk.reports == []


async def test_a_study_that_is_deleted_meanwhile_stops_nothing(desk: Desk) -> None:
    await desk.demand()
    desk.gate = Gate()
    working = asyncio.create_task(desk.exporter().work_once())
    await within(desk.gate.reached.wait())

    async with desk.engine.begin() as connection:
        await connection.execute(delete(studies))
    desk.gate.open.set()

    assert await within(working) is True
    assert await desk.exporter().work_once() is False


async def test_a_running_exporter_is_woken_by_a_new_job(desk: Desk) -> None:
    desk.settings = desk.settings.model_copy(update={"poll_seconds": 600})
    desk.gate = Gate()
    async with desk.exporter().running():
        await desk.demand()
        desk.wake.set()
        await within(desk.gate.reached.wait())

    assert len(desk.reports) == 1


async def test_old_files_are_taken_back(desk: Desk) -> None:
    await desk.demand()
    await desk.exporter().work_once()

    fresh = await desk.exporter().clean()
    desk.clock.forward(25 * 3600)
    stale = await desk.exporter().clean()

    assert (fresh, stale) == (0, 1)
