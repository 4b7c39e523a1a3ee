"""The exporter: makes one file at a time, keeps its lease alive meanwhile, and takes back old files."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from uuid import uuid4

import structlog
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncEngine

from app.internal_api.lanes import Lanes, beside
from app.internal_api.models.wire import iso
from app.internal_api.panels.output import study_output
from app.internal_api.panels.reports.rendering import MEDIA_TYPES, RenderingFailed, file_name, render
from app.internal_api.panels.reports.report import Report
from app.internal_api.settings import InternalApiSettings
from app.internal_api.store.answers import answers_of
from app.internal_api.store.exports import ExportJob, claim_export, complete_export, delete_old_exports, fail_export
from app.internal_api.store.leases import Lease, LeaseLost, hold, kept_alive, release
from app.internal_api.store.questions import list_questions
from app.internal_api.store.studies import find_study
from app.internal_api.study_tables import export_jobs

log = structlog.get_logger()

Render = Callable[[Report, str], Awaitable[bytes]]
FAILED = "EXPORT_FAILED"
READ, RENDERED = 40, 90
"""Percent of a job that are done when all answers are read, and when the file is made."""


class Exporter:
    """Who makes a job here sets `wake`; jobs of other processes are found by polling."""

    def __init__(
        self,
        engine: AsyncEngine,
        settings: InternalApiSettings,
        clock: Callable[[], int],
        wake: asyncio.Event,
        render: Render = render,
    ) -> None:
        self._engine = engine
        self._settings = settings
        self._clock = clock
        self._wake = wake
        self._render = render

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Work beside the body; a job is given back when it ends, so that the next start begins it anew at once."""
        lanes = Lanes("export", self.work_once, 1, self._settings.poll_seconds, self._wake)
        async with beside(lanes.run(), self._housekeeping()):
            yield

    async def work_once(self) -> bool:
        """Take one job and work on it to its end; False when there was none."""
        milliseconds = int(self._settings.lease_seconds * 1000)
        job = await claim_export(self._engine, uuid4().hex, self._clock(), milliseconds)
        if job is None or job.lease_owner is None:
            return False
        lease = Lease(job.id, job.lease_owner, milliseconds, export_jobs)
        try:
            await self._work(job, lease)
        except asyncio.CancelledError:
            async with self._engine.begin() as connection:
                await release(connection, lease)
            raise
        return True

    async def clean(self) -> int:
        """Delete what ended long ago; returns how many."""
        made_before = self._clock() - int(self._settings.export_hours * 3_600_000)
        async with self._engine.begin() as connection:
            return await delete_old_exports(connection, made_before)

    async def _work(self, job: ExportJob, lease: Lease) -> None:
        try:
            async with kept_alive(self._engine, lease, self._clock):
                await self._make_or_fail(job, lease)
        except* LeaseLost:
            log.warning("export.lease_lost", job=job.id)
        except* SQLAlchemyError as errors:
            # The lease runs out, and then the job begins anew.
            log.warning("export.interrupted", job=job.id, errors=len(errors.exceptions))

    async def _make_or_fail(self, job: ExportJob, lease: Lease) -> None:
        if job.attempt > self._settings.export_attempts:
            log.warning("export.interrupted_too_often", job=job.id)
            await self._fail(lease)
            return
        try:
            async with asyncio.timeout(self._settings.export_seconds):
                await self._make(job, lease)
        except (RenderingFailed, TimeoutError) as failure:
            log.warning("export.failed", job=job.id, error=type(failure).__name__)
            await self._fail(lease)
        except (LeaseLost, SQLAlchemyError):
            raise
        except Exception:
            # The boundary of a job: a fault in one file must not stop the others.
            log.exception("export.failed", job=job.id)
            await self._fail(lease)

    async def _make(self, job: ExportJob, lease: Lease) -> None:
        report = await self._read(job)
        await self._say(lease, READ)
        content = await self._render(report, job.format)
        await self._say(lease, RENDERED)
        name = file_name(report.study, job.kind, job.format)
        media_type = MEDIA_TYPES[job.format]
        async with self._engine.begin() as connection:
            now = self._clock()
            await complete_export(connection, lease, now, job, content=content, name=name, media_type=media_type)

    async def _read(self, job: ExportJob) -> Report:
        """Question by question, and aside: the answers of many at once would hold up everybody else."""
        results, unfinished = [], 0
        async with self._engine.execution_options(read_only=True).connect() as connection:
            study = await find_study(connection, job.study_id)
            if study is None:
                raise LeaseLost
            for question in await list_questions(connection, study.id):
                found = await answers_of(connection, question.id)
                results.append(await asyncio.to_thread(study_output, question, found))
                unfinished += question.status != "completed"
        return Report.model_validate(
            {
                "study": study.name,
                "kind": job.kind,
                "length": job.length,
                "generated_at": iso(self._clock()),
                "unfinished": unfinished,
                "questions": results,
            }
        )

    async def _say(self, lease: Lease, progress: int) -> None:
        async with self._engine.begin() as connection:
            await hold(connection, lease, self._clock(), progress=progress)

    async def _fail(self, lease: Lease) -> None:
        async with self._engine.begin() as connection:
            await fail_export(connection, lease, self._clock(), FAILED)

    async def _housekeeping(self) -> None:
        while True:
            try:
                await self.clean()
            except SQLAlchemyError as error:
                log.warning("housekeeping.database_unavailable", error=type(error).__name__)
            await asyncio.sleep(self._settings.housekeeping_seconds)
