"""The exporter makes one file after another, PDF in a child process, and cleans up."""

import asyncio
import io
import subprocess
import sys

import psutil
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pypdf import PdfReader
from sqlalchemy import update

from app.internal_api.children import ChildFailed
from app.internal_api.panels import exporter
from app.internal_api.panels.exporter import MEDIA_TYPES, Exporter, file_name, render
from app.internal_api.panels.output import study_output
from app.internal_api.panels.report import Report
from app.internal_api.panels.report_pdf import write_pdf
from app.internal_api.store.exports import ExportJob, demand, find_export, find_file
from app.internal_api.store.exports import jobs as export_jobs
from tests.app.internal_api.panels.reports import report
from tests.app.internal_api.panels.rows import another, answer, answers, pending, question
from tests.app.internal_api.panels.stored import STUDY, store_study
from tests.app.internal_api.support import Gate, World, within

ASKED = [
    (another(1, "scale", text="How likely?"), answers("5", "4", None)),
    (another(2, text="Why?", status="running"), [*answers("Price"), pending(1)]),
]


class Jobs:
    """An exporter whose writer can be held up or broken."""

    def __init__(self, world: World) -> None:
        self.world, self.engine, self.clock = world, world.engine, world.clock
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
        exporter = self.world.api().exporter
        exporter.render = self.render
        return exporter

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
async def jobs(world: World) -> Jobs:
    await store_study(world.engine, ASKED)
    return Jobs(world)


async def test_a_job_ends_in_a_file_that_tells_everything_there_is(jobs: Jobs) -> None:
    job_id = await jobs.demand()

    worked = [await jobs.exporter().work_once() for _ in range(2)]

    job, (report,) = await jobs.job(job_id), jobs.reports
    assert worked == [True, False]
    assert (job.status, job.progress, job.file_name) == ("completed", 100, "pricing-full-report.md")
    assert job.media_type == "text/markdown; charset=utf-8"
    assert await jobs.content(job_id) == b"md of Pricing"
    assert [question.title for question in report.questions] == ["How likely?", "Why?"]
    assert (report.unfinished, report.generated_at) == (1, "2023-11-14T22:13:20.000Z")
    assert report.questions[0].audiences[0].failed == 1


@pytest.mark.parametrize("fault", [ChildFailed(3, "no"), TimeoutError(), ValueError("bug")])
async def test_what_cannot_be_made_fails_and_the_next_job_is_done(jobs: Jobs, fault: Exception) -> None:
    first, second = await jobs.demand("md"), await jobs.demand("csv")
    jobs.broken = fault

    await jobs.exporter().work_once()
    jobs.broken = None
    await jobs.exporter().work_once()

    assert ((await jobs.job(first)).status, (await jobs.job(first)).error_code) == ("failed", "EXPORT_FAILED")
    assert (await jobs.job(second)).status == "completed"


async def test_an_exporter_that_is_stopped_gives_its_job_back(jobs: Jobs) -> None:
    job_id = await jobs.demand()
    jobs.gate = Gate()
    async with jobs.exporter().running():
        await within(jobs.gate.reached.wait())

    jobs.gate = None
    await jobs.exporter().work_once()

    job = await jobs.job(job_id)
    assert (job.status, job.attempt) == ("completed", 1)


async def test_the_job_of_a_killed_exporter_is_done_when_its_lease_has_run_out(jobs: Jobs) -> None:
    job_id = await jobs.demand()
    async with jobs.engine.begin() as connection:
        until = jobs.clock() + 1000
        killed = {"status": "running", "attempt": 1, "lease_owner": "killed", "lease_until": until}
        await connection.execute(update(export_jobs).values(killed))

    early = await jobs.exporter().work_once()
    jobs.clock.forward(2)
    late = await jobs.exporter().work_once()

    assert (early, late) == (False, True)
    assert (await jobs.job(job_id)).status == "completed"


async def test_a_job_that_kills_its_workers_is_given_up(jobs: Jobs) -> None:
    job_id = await jobs.demand()
    async with jobs.engine.begin() as connection:
        await connection.execute(update(export_jobs).values(attempt=3))

    await jobs.exporter().work_once()

    assert (await jobs.job(job_id)).status == "failed"
    assert jobs.reports == []


async def test_old_files_are_taken_back(jobs: Jobs) -> None:
    await jobs.demand()
    await jobs.exporter().work_once()

    fresh = await jobs.exporter().clean()
    jobs.clock.forward(25 * 3600)
    stale = await jobs.exporter().clean()

    assert (fresh, stale) == (0, 1)


async def _children_besides(before: set[psutil.Process]) -> set[psutil.Process]:
    # The system tells of a new process to nobody.
    while not (born := set(psutil.Process().children()) - before):  # noqa: ASYNC110  see above
        await asyncio.sleep(0.01)
    return born


@pytest.mark.parametrize(
    ("file_format", "begins"), [("csv", b"\xef\xbb\xbfQuestion,"), ("md", b"# Pricing"), ("pdf", b"%PDF-")]
)
async def test_each_format_is_made(file_format: str, begins: bytes) -> None:
    assert (await render(report(), file_format)).startswith(begins)
    assert file_format in MEDIA_TYPES


async def test_a_writer_that_dies_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exporter, "PDF_WRITER", (sys.executable, "-c", "import sys; sys.exit(3)"))

    with pytest.raises(ChildFailed):
        await render(report(), "pdf")


async def test_a_writer_is_given_no_secret_of_the_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET_KEY", "hunter2")
    monkeypatch.setattr(exporter, "PDF_WRITER", (sys.executable, "-c", "import os; print(dict(os.environ))"))

    given = (await render(report(), "pdf")).decode()

    assert "PYTHONPATH" in given
    assert "SECRET_KEY" not in given
    assert "hunter2" not in given


async def test_a_writer_ends_with_the_call_that_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exporter, "PDF_WRITER", (sys.executable, "-c", "import time; time.sleep(600)"))
    before = set(psutil.Process().children())
    call = asyncio.create_task(render(report(), "pdf"))
    born = await within(_children_besides(before))

    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await within(call)

    assert not any(child.is_running() for child in born)


def test_the_server_loads_neither_fonts_nor_what_draws_with_them() -> None:
    told = "import sys, app.internal_api.factory; print(*sys.modules)"

    found = subprocess.run([sys.executable, "-c", told], capture_output=True, text=True, check=True)

    assert "app.internal_api.factory" in found.stdout.split()
    assert {"typst", "weblate_fonts"}.isdisjoint(found.stdout.split())


@given(st.text())
def test_a_file_name_is_safe_everywhere(study: str) -> None:
    name = file_name(study, "full_report", "md")

    assert name.isascii()
    assert name.removesuffix("-full-report.md").replace("-", "a").isalnum()
    assert len(name) <= 120
    assert file_name("Préférences: Été 2026!", "executive_brief", "pdf") == "preferences-ete-2026-executive-brief.pdf"


def text_of(data: bytes) -> str:
    return "\n".join(page.extract_text() for page in PdfReader(io.BytesIO(data)).pages)


def test_figures_quotes_failures_and_caveats_are_there() -> None:
    text = text_of(write_pdf(report()))

    for part in ("Pricing", "1. How likely?", "Mean 4.5 (n = 2, 1 failed)", "50%", "It costs too much."):
        assert part in text
    for part in ("Did not answer: Mind 2", "Method and caveats"):
        assert part in text


def test_many_scripts_have_their_letters_and_signs_of_the_writer_are_words() -> None:
    said = answer("Price", message="naïve Πόσο Как ქართული Việt €5 → ✓ 价格 価格 가격\n{nb} **bold** [a](1) \x07")

    text = text_of(write_pdf(report(study_output(question(), [said]))))

    for word in ("naïve", "Πόσο", "Как", "ქართული", "Việt", "€5", "价格", "価格", "가격", "{nb} **bold** [a](1)"):
        assert word in text


def test_a_long_report_has_many_numbered_pages_and_the_longest_label_fits_on_one() -> None:
    many = [answer("Price", position=number, message="A long answer. " * 40) for number in range(30)]
    label = study_output(question(), answers("price " * 5_000))

    pages = PdfReader(io.BytesIO(write_pdf(report(study_output(question(), many), label, kind="raw_data")))).pages

    assert len(pages) > 2
    assert pages[-1].extract_text().rstrip().endswith(str(len(pages)))
