"""Documents are read in processes of their own, which hold no secret and end at their limits."""

import asyncio
import subprocess
import sys
import zlib
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest
from structlog.testing import capture_logs

from app.internal_api.knowledge import reader
from app.internal_api.knowledge.documents import Document, SourceRefused
from app.internal_api.knowledge.reader import read_document

PAGE = b"<html><head><title>Rye</title></head><body><p>Rye is dark.</p></body></html>"


def greedy(calls: int, operators: int) -> bytes:
    """A page that draws one form `calls` times, which has `operators` empty texts: a small file, and hours of work."""
    font = b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"
    form = b"/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /Font << /F1 5 0 R >> >>"
    page = (
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /Contents 4 0 R /Resources << /XObject << /X 6 0 R >> >> >>"
    )
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        page,
        stream(b"/X Do\n" * calls),
        font,
        stream(b"BT () Tj ET\n" * operators, form),
    ]
    body, places = b"%PDF-1.7\n", []
    for number, content in enumerate(objects, 1):
        places.append(len(body))
        body += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    table = b"xref\n0 7\n0000000000 65535 f \n" + b"".join(b"%010d 00000 n \n" % place for place in places)
    return body + table + b"trailer << /Root 1 0 R /Size 7 >>\nstartxref\n%d\n%%%%EOF" % len(body)


def stream(content: bytes, more: bytes = b"") -> bytes:
    packed = zlib.compress(content, 9)
    return b"<< %s /Filter /FlateDecode /Length %d >>\nstream\n%s\nendstream" % (more, len(packed), packed)


def child(monkeypatch: pytest.MonkeyPatch, program: str) -> None:
    """Have another program in the place of the reader."""
    monkeypatch.setattr(reader, "COMMAND", (sys.executable, "-c", program))


async def refusal(data: bytes, filename: str = "x", seconds: float = reader.SECONDS) -> str:
    with pytest.raises(SourceRefused) as refused:
        await read_document(data, filename=filename, media_type=None, seconds=seconds)
    return refused.value.code


@pytest.mark.parametrize("filename", ["rye.html", "\0-Ünother"])
async def test_a_document_comes_back_from_bytes_and_from_a_file(tmp_path: Path, filename: str) -> None:
    path = tmp_path / "file"
    path.write_bytes(PAGE)

    read = [await read_document(PAGE, filename=filename, media_type=None)]
    with path.open("rb") as file:
        read.append(await read_document(file, filename=filename, media_type=None))

    assert read == [Document("Rye", "Rye is dark.", filename, None, "text/html", None)] * 2


@pytest.mark.parametrize(
    ("data", "filename"),
    [  # made in the test: all runners import this module, and one runs it
        (lambda: b"<html><body>" + b"<p>" * 5_000_000, "x.html"),
        (lambda: b"<html><body><p " + b"a=1 " * 25_000 + b">Rye", "x.html"),
        (lambda: b"<html><body><p " + b" ".join(b"a%d" % number for number in range(900_000)) + b">Rye", "x.html"),
        (lambda: b"<html><body><p " + b'a="1"' * 25_000 + b">Rye", "x.html"),
        (lambda: b"<html><body>" + b"<p>Rye is dark.</p>" * 900_000, "x.html"),
        (lambda: b"<a><b " + b"".join(b'a%d="" ' % number for number in range(25_000)) + b"/></a>", "x.xml"),
        (lambda: b"<a>" + b"<b/>" * 4_000_000 + b"</a>", "x.xml"),
        (lambda: b"[" + b"[]," * 5_000_000 + b"[]]", "x.json"),
        (lambda: b"[" + b"1," * 5_000_000 + b"1]", "x.json"),
        (lambda: b"rye " * 5_000_000, "x.txt"),
    ],
)
async def test_what_would_take_gigabytes_or_minutes_is_refused_before_it_is_parsed(
    data: Callable[[], bytes], filename: str
) -> None:
    assert await refusal(data(), filename) == "too_large"


async def test_what_takes_too_long_is_stopped_and_leaves_no_process() -> None:
    hours, before = greedy(5_000, 100_000), set(psutil.Process().children())

    assert len(hours) < 10_000
    assert await refusal(hours, seconds=1) == "too_large"
    assert set(psutil.Process().children()) <= before


async def test_a_reader_ends_with_the_call_that_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    child(monkeypatch, "import time; time.sleep(600)")
    before = set(psutil.Process().children())
    call = asyncio.create_task(read_document(b"Rye", filename="x", media_type=None))
    while not (born := set(psutil.Process().children()) - before):  # noqa: ASYNC110  a process has no event
        await asyncio.sleep(0.01)

    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call

    assert not any(process.is_running() for process in born)


HELD = "import app.internal_api.knowledge.extract as it; "


@pytest.mark.parametrize(
    ("program", "code"),
    [
        (f"{HELD}it.MEMORY = 160 * 1024**2; it.main()", "too_large"),
        (f"{HELD}it.SECONDS = 1; it.main()", "too_large"),
        ("import os, signal; os.kill(os.getpid(), signal.SIGSEGV)", "too_large"),
    ],
)
async def test_what_takes_too_much_time_or_memory_is_refused(
    monkeypatch: pytest.MonkeyPatch, program: str, code: str
) -> None:
    child(monkeypatch, program)

    assert await refusal(greedy(1, 800_000)) == code


async def test_a_reader_is_given_no_secret_of_the_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET_KEY", "hunter2")
    child(monkeypatch, "import json, os; print(json.dumps({'code': 'x', 'message': ' '.join(os.environ)}))")

    with pytest.raises(SourceRefused) as told:
        await read_document(b"", filename="x", media_type=None)

    assert "PYTHONPATH" in told.value.message
    assert "SECRET_KEY" not in told.value.message


async def test_a_broken_installation_leaves_its_last_words_in_the_log(monkeypatch: pytest.MonkeyPatch) -> None:
    child(monkeypatch, "import sys; sys.exit('the installation is broken')")

    with capture_logs() as lines:
        assert await refusal(b"Rye") == "unreadable"

    assert [(line["event"], line["status"], line["reason"]) for line in lines] == [
        ("document_reader.failed", 1, "the installation is broken\n")
    ]


def test_a_server_does_not_load_what_reads_documents() -> None:
    loaded = "import sys, app.internal_api.factory; print(*sys.modules)"

    run = subprocess.run((sys.executable, "-P", "-c", loaded), check=True, capture_output=True, text=True)

    assert "app.internal_api.knowledge.reader" in run.stdout.split()
    assert {"pypdf", "docx", "lxml", "trafilatura"}.isdisjoint(run.stdout.split())
