"""The PDF is made by a child that can be stopped, and the server never loads what makes it."""

import io
import subprocess
import sys
from pathlib import Path

import anyio
import psutil
import pytest
from pypdf import PdfReader
from structlog.testing import capture_logs

from mcp_server.errors import ServiceUnavailable
from mcp_server.toolsets.panels._exports import pdf_process
from mcp_server.toolsets.panels._exports.pdf_process import render_pdf, told
from tests.mcp_server.toolsets.panels.reports import KINDS, big_report, report_of

SMALL = report_of(groups=1, each=3, kinds=KINDS[:1])


def child(monkeypatch: pytest.MonkeyPatch, program: str) -> None:
    """Have another program in the place of the writer."""
    monkeypatch.setattr(pdf_process, "COMMAND", (sys.executable, "-c", program))


async def test_a_report_becomes_a_pdf_and_equal_reports_equal_ones() -> None:
    first = await render_pdf(SMALL)
    again = await render_pdf(report_of(groups=1, each=3, kinds=KINDS[:1]))

    assert "Pricing" in PdfReader(io.BytesIO(first)).pages[0].extract_text()
    assert first == again


async def test_two_hundred_personas_are_written_however_odd_their_answers() -> None:
    document = PdfReader(io.BytesIO(await render_pdf(big_report())))

    assert "Method and caveats" in document.pages[-1].extract_text()


@pytest.mark.parametrize("program", ["import os; os.abort()", "raise SystemExit(1)"])
async def test_a_writer_that_fails_is_a_clear_error(monkeypatch: pytest.MonkeyPatch, program: str) -> None:
    child(monkeypatch, program)

    with pytest.raises(ServiceUnavailable) as refused:
        await render_pdf(SMALL)
    assert "xlsx" in refused.value.message


async def test_a_writer_that_fails_leaves_its_last_words_in_the_log(monkeypatch: pytest.MonkeyPatch) -> None:
    child(monkeypatch, "import sys; sys.exit('the fonts are gone')")

    with capture_logs() as lines, pytest.raises(ServiceUnavailable):
        await render_pdf(SMALL)

    assert [(line["event"], line["returncode"], line["reason"].strip()) for line in lines] == [
        ("pdf_report.failed", 1, "the fonts are gone")
    ]


async def test_a_writer_that_takes_too_long_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    child(monkeypatch, "import time; time.sleep(600)")
    before = psutil.Process().children()

    with pytest.raises(ServiceUnavailable):
        await render_pdf(SMALL, seconds=0.2)

    assert set(psutil.Process().children()) <= set(before)


async def test_a_caller_that_leaves_ends_the_writer_and_its_folder(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    child(monkeypatch, endless(tmp_path / "pid", tmp_path / "folder"))

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(render_pdf, SMALL)
        folder = await written(tmp_path / "folder")
        assert await anyio.Path(folder).exists()
        tasks.cancel_scope.cancel()

    assert not psutil.pid_exists(int((tmp_path / "pid").read_text()))
    assert not await anyio.Path(folder).exists()


async def written(file: Path) -> str:
    """What the child wrote into `file`, as soon as it is there."""
    with anyio.fail_after(60):
        while not await anyio.Path(file).exists():  # noqa: ASYNC110  another process makes it, which sets no event
            await anyio.sleep(0.01)
    return await anyio.Path(file).read_text()


def endless(pid: Path, folder: Path) -> str:
    """A program that tells its number, then in which folder it is, and never ends."""
    tell = f"open({str(pid)!r}, 'w').write(str(os.getpid()))"
    new = f"{folder}.new"
    where = f"open({new!r}, 'w').write(os.getcwd()); os.rename({new!r}, {str(folder)!r})"
    return f"import os, time; {tell}; {where}; time.sleep(600)"


def test_the_server_does_not_load_what_makes_the_pdf() -> None:
    loaded = "import sys, mcp_server.toolsets.panels._exports.pdf_process; print(*sys.modules)"

    names = subprocess.run(
        (sys.executable, "-P", "-c", loaded), env=pdf_process.ENVIRONMENT, check=True, capture_output=True, text=True
    ).stdout.split()

    assert "mcp_server.toolsets.panels._report" in names
    assert not {"fpdf", "PIL", "fontTools", "uharfbuzz", "pymupdf_fonts"} & set(names)


def test_nothing_of_the_environment_reaches_the_writer() -> None:
    assert sys.platform == "win32" or set(pdf_process.ENVIRONMENT or ()) == {"PYTHONPATH"}


def test_halves_of_surrogate_pairs_travel_as_replacement_characters() -> None:
    report = report_of(groups=1, each=1, kinds=KINDS[3:], texts=["a \ud800 b \ud83d\ude00"], panel="\udfff")

    data = told(report).decode()

    assert "a \ufffd b \U0001f600" in data
    assert "\ud800" not in data
