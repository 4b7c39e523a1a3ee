"""The exporter: a worker that makes one file at a time from its job, and deletes old files."""

import asyncio
import re
import sys
import unicodedata
from collections.abc import Awaitable, Callable

import structlog

from app.internal_api.children import ChildFailed, run_child
from app.internal_api.models.wire import iso
from app.internal_api.panels.output import study_output
from app.internal_api.panels.report import Report, write_csv, write_markdown
from app.internal_api.services import Services
from app.internal_api.store.exports import ExportJob, claim_export, delete_old_exports, delete_superseded
from app.internal_api.store.exports import jobs as export_jobs
from app.internal_api.store.leases import Lease, LeaseLost
from app.internal_api.store.questions import answers_of, list_questions
from app.internal_api.store.rows import find_row
from app.internal_api.store.studies import Study
from app.internal_api.workers import Worker

log = structlog.get_logger()

PDF_WRITER = (sys.executable, "-P", "-m", "app.internal_api.panels.report_pdf")
MEDIA_TYPES = {"csv": "text/csv; charset=utf-8", "md": "text/markdown; charset=utf-8", "pdf": "application/pdf"}
FAILED = "EXPORT_FAILED"
READ = 40  # percent of a job that are done when all answers are read


async def render(report: Report, file_format: str) -> bytes:
    """The file: text is written in a thread, PDF in a child process that can be stopped. Raises ChildFailed."""
    if file_format != "pdf":
        write = write_csv if file_format == "csv" else write_markdown
        return (await asyncio.to_thread(write, report)).encode()
    data = await asyncio.to_thread(report.model_dump_json, by_alias=True)
    return await run_child(*PDF_WRITER, stdin=data.encode())


def file_name(study: str, kind: str, file_format: str) -> str:
    """Of ASCII letters, digits and dashes, so that it is safe on every file system and in every header."""
    letters = unicodedata.normalize("NFKD", study).encode("ascii", "ignore").decode().lower()
    name = re.sub(r"[^a-z0-9]+", "-", letters)[:80].strip("-") or "study"
    return f"{name}-{kind.replace('_', '-')}.{file_format}"


class Exporter(Worker[ExportJob]):
    jobs, claim = export_jobs, staticmethod(claim_export)
    render: Callable[[Report, str], Awaitable[bytes]] = staticmethod(render)

    def __init__(self, services: Services) -> None:
        lease_seconds, seconds = services.settings.lease_seconds, services.settings.export_seconds
        super().__init__(services, services.wake_exporter, slots=1, lease_seconds=lease_seconds, seconds=seconds)

    async def work(self, job: ExportJob, lease: Lease) -> None:
        """Make the file. Raises ChildFailed, TimeoutError, LeaseLost."""
        if job.attempt > self.services.settings.export_attempts:
            raise TimeoutError("interrupted too often")
        results, unfinished = [], 0
        async with self.services.read() as connection:
            study = await find_row(connection, Study, job.study_id)
            if study is None:
                raise LeaseLost
            # Question by question, and in a thread: the answers of many at once would block the event loop.
            for question in await list_questions(connection, study.id):
                found = await answers_of(connection, question.id)
                results.append(await asyncio.to_thread(study_output, question, found))
                unfinished += question.status != "completed"
        wanted = {"study": study.name, "kind": job.kind, "length": job.length, "questions": results}
        generated_at = iso(self.services.clock())
        report = Report.model_validate({**wanted, "generated_at": generated_at, "unfinished": unfinished})
        async with lease.write(progress=READ):
            pass
        content = await self.render(report, job.format)
        made = {"content": content, "file_name": file_name(report.study, job.kind, job.format), "progress": 100}
        async with self.services.engine.begin() as connection:
            await lease.end(connection, "completed", media_type=MEDIA_TYPES[job.format], **made)
            await delete_superseded(connection, job)

    async def fail(self, job: ExportJob, lease: Lease, error: Exception) -> None:
        """Why is in the log only."""
        bug = None if isinstance(error, ChildFailed | TimeoutError) else error
        log.warning("export.failed", job=job.id, error=type(error).__name__, reason=str(error), exc_info=bug)
        async with self.services.engine.begin() as connection:
            await lease.end(connection, "failed", error_code=FAILED)

    async def clean(self) -> int:
        made_before = self.services.clock() - int(self.services.settings.export_hours * 3_600_000)
        async with self.services.engine.begin() as connection:
            return await delete_old_exports(connection, made_before)
