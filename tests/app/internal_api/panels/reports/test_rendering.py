"""Files are made beside the server: quickly, and so that a broken writer is noticed and a slow one stopped."""

import asyncio
import subprocess
import sys

import psutil
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.internal_api.panels.reports import rendering
from app.internal_api.panels.reports.rendering import MEDIA_TYPES, RenderingFailed, file_name, render, render_pdf
from tests.app.internal_api.panels.reports.reports import report
from tests.app.internal_api.support import within


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
    monkeypatch.setattr(rendering, "PDF", (sys.executable, "-c", "import sys; sys.exit(3)"))

    with pytest.raises(RenderingFailed):
        await render_pdf(report())


async def test_a_writer_is_given_no_secret_of_the_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET_KEY", "hunter2")
    monkeypatch.setattr(rendering, "PDF", (sys.executable, "-c", "import os; print(dict(os.environ))"))

    given = (await render_pdf(report())).decode()

    assert "PYTHONPATH" in given
    assert "SECRET_KEY" not in given
    assert "hunter2" not in given


async def test_a_writer_ends_with_the_call_that_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rendering, "PDF", (sys.executable, "-c", "import time; time.sleep(600)"))
    before = set(psutil.Process().children())
    call = asyncio.create_task(render_pdf(report()))
    born = await within(_children_besides(before))

    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await within(call)

    assert not any(child.is_running() for child in born)


def test_the_server_loads_neither_fonts_nor_what_draws_with_them() -> None:
    told = "import sys, app.internal_api.factory; print(*sys.modules)"

    found = subprocess.run([sys.executable, "-c", told], capture_output=True, text=True, check=True)

    assert "app.internal_api.factory" in found.stdout.split()
    assert {"fpdf", "pymupdf_fonts", "uharfbuzz"}.isdisjoint(found.stdout.split())


@given(st.text())
def test_a_file_name_is_safe_everywhere(study: str) -> None:
    name = file_name(study, "full_report", "md")

    assert name.isascii()
    assert name.removesuffix("-full-report.md").replace("-", "a").isalnum()
    assert len(name) <= 120


def test_a_file_is_called_after_its_study() -> None:
    assert file_name("Préférences: Été 2026!", "executive_brief", "pdf") == "preferences-ete-2026-executive-brief.pdf"
    assert file_name("价格", "raw_data", "csv") == "study-raw-data.csv"
