"""Each format is what it says, under a safe name and a type of its own, while everything else goes on."""

import asyncio
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import get_args

import anyio
import psutil
import pytest
from hypothesis import given
from hypothesis import strategies as st
from structlog.testing import capture_logs

from mcp_server.errors import ServiceUnavailable
from mcp_server.toolsets.panels._exports import render as rendering
from mcp_server.toolsets.panels._exports.render import MEDIA_TYPES, Format, file_name, render, render_pdf
from tests.mcp_server.toolsets.panels.reports import KINDS, big_report, report_of

REPORT = report_of()
SMALL = report_of(groups=1, each=3, kinds=KINDS[:1])
IN_PROCESS: tuple[Format, ...] = ("json", "csv", "xlsx", "md")
BEGINNINGS = {"json": b"{", "csv": b'\xef\xbb\xbf"Question"', "xlsx": b"PK\x03\x04", "md": b"# ", "pdf": b"%PDF-"}


@pytest.mark.parametrize("format", get_args(Format))
async def test_a_document_begins_as_its_format_does(format: Format) -> None:
    document = await render(REPORT, format)

    assert document.content.startswith(BEGINNINGS[format])
    assert document.file_name == f"panel-Pricing-Fruhjahr-2026-2026-11-21.{format}"
    assert document.media_type == MEDIA_TYPES[format]


@pytest.mark.parametrize("format", IN_PROCESS)
async def test_other_tasks_go_on_while_a_big_report_is_written(format: Format) -> None:
    turns = 0
    writing = asyncio.create_task(render(big_report(), format))
    while not writing.done():
        await asyncio.sleep(0)
        turns += 1

    assert (await writing).content
    # On the event loop itself there would be no more than two.
    assert turns > 10


@pytest.mark.parametrize("format", get_args(Format))
async def test_equal_reports_give_equal_files(format: Format) -> None:
    assert await render(REPORT, format) == await render(report_of(), format)


# --- names of files ---


@given(st.text(st.characters(codec=None), max_size=300))
def test_any_panel_gives_a_name_that_windows_and_headers_take(panel: str) -> None:
    name = file_name(replace(REPORT, panel=panel), "csv")

    assert re.fullmatch(r"panel(-[A-Za-z0-9]+)*-2026-11-21\.csv", name)
    assert len(name) <= 110


@pytest.mark.parametrize(
    ("panel", "name"),
    [
        ("Pricing — Frühjahr 2026", "panel-Pricing-Fruhjahr-2026-2026-11-21.pdf"),
        ("Straße / Łódź", "panel-Strasse-Lodz-2026-11-21.pdf"),
        ("Опрос 上海", "panel-Opros-ShangHai-2026-11-21.pdf"),
        ("", "panel-2026-11-21.pdf"),
        ("CON", "panel-CON-2026-11-21.pdf"),
        ("../../etc/passwd", "panel-etc-passwd-2026-11-21.pdf"),
        (".hidden\x00\r\n", "panel-hidden-2026-11-21.pdf"),
    ],
)
def test_the_name_of_the_panel_can_be_recognised(panel: str, name: str) -> None:
    assert file_name(replace(REPORT, panel=panel), "pdf") == name


# --- the child that makes the PDF ---


def child(monkeypatch: pytest.MonkeyPatch, program: str) -> None:
    """Have another program in the place of the writer."""
    monkeypatch.setattr(rendering, "PDF_WRITER", (sys.executable, "-c", program))


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


async def test_a_caller_that_leaves_ends_the_writer(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    pid = tmp_path / "pid"
    new = tmp_path / "new"
    tell = f"open({str(new)!r}, 'w').write(str(os.getpid())); os.rename({str(new)!r}, {str(pid)!r})"
    child(monkeypatch, f"import os, time; {tell}; time.sleep(600)")

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(render_pdf, SMALL)
        with anyio.fail_after(60):
            while not await anyio.Path(pid).exists():  # noqa: ASYNC110  another process makes it, which sets no event
                await anyio.sleep(0.01)
        tasks.cancel_scope.cancel()

    assert not psutil.pid_exists(int(pid.read_text()))


def test_what_is_no_report_ends_the_writer_with_a_failure() -> None:
    done = subprocess.run(
        rendering.PDF_WRITER, input=b"{}", env=rendering.PDF_ENVIRONMENT, capture_output=True, check=False
    )

    assert done.returncode != 0
    assert done.stdout == b""


def test_the_server_does_not_load_what_makes_the_pdf() -> None:
    loaded = "import sys, mcp_server.toolsets.panels._exports.render; print(*sys.modules)"

    names = subprocess.run((sys.executable, "-c", loaded), check=True, capture_output=True, text=True).stdout.split()

    assert "mcp_server.toolsets.panels._exports.pdf" in names
    assert not {"typst", "weblate_fonts"} & set(names)


def test_nothing_of_the_environment_reaches_the_writer() -> None:
    assert sys.platform == "win32" or rendering.PDF_ENVIRONMENT == {}
