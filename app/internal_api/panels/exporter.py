"""The exporter: a worker that makes one file at a time from its job, and deletes old files."""

import asyncio
import re
import sys
import unicodedata
from asyncio.subprocess import PIPE
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from uuid import uuid4

import structlog
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncEngine

from app.internal_api.children import ENVIRONMENT
from app.internal_api.models.wire import iso
from app.internal_api.panels.output import study_output
from app.internal_api.panels.report import Report, write_csv, write_markdown
from app.internal_api.settings import InternalApiSettings
from app.internal_api.store.exports import ExportJob, claim_export, delete_old_exports, delete_superseded
from app.internal_api.store.exports import jobs as export_jobs
from app.internal_api.store.leases import Lease, LeaseLost, end, give_back, holding, kept_alive
from app.internal_api.store.questions import answers_of, list_questions
from app.internal_api.store.rows import find_row
from app.internal_api.store.studies import Study
from app.internal_api.worker_slots import WorkerSlots, beside

log = structlog.get_logger()

PDF_WRITER = (sys.executable, "-P", "-m", "app.internal_api.panels.report_pdf")
MEDIA_TYPES = {"csv": "text/csv; charset=utf-8", "md": "text/markdown; charset=utf-8", "pdf": "application/pdf"}
FAILED = "EXPORT_FAILED"
READ = 40
"""Percent of a job that are done when all answers are read."""


class RenderingFailed(Exception):
    """The file could not be made; why is in the log."""


async def render(report: Report, file_format: str) -> bytes:
    """The file: text is written in a thread, PDF in a child process that can be stopped. Raises RenderingFailed."""
    if file_format != "pdf":
        write = write_csv if file_format == "csv" else write_markdown
        return (await asyncio.to_thread(write, report)).encode()
    data = await asyncio.to_thread(report.model_dump_json, by_alias=True)
    process = await asyncio.create_subprocess_exec(*PDF_WRITER, stdin=PIPE, stdout=PIPE, stderr=PIPE, env=ENVIRONMENT)
    try:
        written, errors = await process.communicate(data.encode())
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    if process.returncode != 0 or not written:
        log.warning("pdf_writer.died", returncode=process.returncode, reason=errors[-500:].decode(errors="replace"))
        raise RenderingFailed
    return written


def file_name(study: str, kind: str, file_format: str) -> str:
    """Of ASCII letters, digits and dashes, so that it is safe on every file system and in every header."""
    letters = unicodedata.normalize("NFKD", study).encode("ascii", "ignore").decode().lower()
    name = re.sub(r"[^a-z0-9]+", "-", letters)[:80].strip("-") or "study"
    return f"{name}-{kind.replace('_', '-')}.{file_format}"


@dataclass(frozen=True, slots=True)
class Exporter:
    """Who makes a job in this process sets `wake`; jobs of other processes are found by polling."""

    engine: AsyncEngine
    settings: InternalApiSettings
    clock: Callable[[], int]
    wake: asyncio.Event
    render: Callable[[Report, str], Awaitable[bytes]] = render

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Work beside the body; a job is released when it ends, so that the next start begins it anew at once."""
        slots = WorkerSlots("export", self.work_once, 1, self.settings.poll_seconds, self.wake)
        async with beside(slots.run(), self._housekeeping()):
            yield

    async def work_once(self) -> bool:
        """Take one job and work on it to its end; False when there was none."""
        owner, milliseconds = uuid4().hex, int(self.settings.lease_seconds * 1000)
        try:
            job = await claim_export(self.engine, owner, self.clock(), milliseconds)
            if job is None:
                return False
            lease = Lease(job.id, owner, milliseconds, export_jobs)
            async with kept_alive(self.engine, lease, self.clock):
                await self._make_or_fail(job, lease)
        except asyncio.CancelledError:
            await give_back(self.engine, export_jobs, owner)
            raise
        return True

    async def clean(self) -> int:
        """Delete what ended long ago; returns how many."""
        made_before = self.clock() - int(self.settings.export_hours * 3_600_000)
        async with self.engine.begin() as connection:
            return await delete_old_exports(connection, made_before)

    async def _make_or_fail(self, job: ExportJob, lease: Lease) -> None:
        try:
            async with asyncio.timeout(self.settings.export_seconds):
                await self._make(job, lease)
        except (LeaseLost, SQLAlchemyError):
            raise
        except Exception as failure:
            # The boundary of a job: a fault in one file must not stop the others.
            bug = None if isinstance(failure, RenderingFailed | TimeoutError) else failure
            log.warning("export.failed", job=job.id, error=type(failure).__name__, reason=str(failure), exc_info=bug)
            async with self.engine.begin() as connection:
                await end(connection, lease, self.clock(), "failed", error_code=FAILED)

    async def _make(self, job: ExportJob, lease: Lease) -> None:
        if job.attempt > self.settings.export_attempts:
            raise RenderingFailed("interrupted too often")
        report = await self._read(job)
        async with holding(self.engine, lease, self.clock, progress=READ):
            pass
        content = await self.render(report, job.format)
        made = {"content": content, "file_name": file_name(report.study, job.kind, job.format), "progress": 100}
        async with self.engine.begin() as connection:
            await end(connection, lease, self.clock(), "completed", media_type=MEDIA_TYPES[job.format], **made)
            await delete_superseded(connection, job)

    async def _read(self, job: ExportJob) -> Report:
        """Question by question, and in a thread: the answers of many at once would block the event loop."""
        results, unfinished = [], 0
        async with self.engine.execution_options(read_only=True).connect() as connection:
            study = await find_row(connection, Study, job.study_id)
            if study is None:
                raise LeaseLost
            for question in await list_questions(connection, study.id):
                found = await answers_of(connection, question.id)
                results.append(await asyncio.to_thread(study_output, question, found))
                unfinished += question.status != "completed"
        wanted = {"study": study.name, "kind": job.kind, "length": job.length, "generated_at": iso(self.clock())}
        return Report.model_validate({**wanted, "unfinished": unfinished, "questions": results})

    async def _housekeeping(self) -> None:
        while True:
            try:
                await self.clean()
            except SQLAlchemyError as error:
                log.warning("housekeeping.database_unavailable", error=type(error).__name__)
            await asyncio.sleep(self.settings.housekeeping_seconds)
