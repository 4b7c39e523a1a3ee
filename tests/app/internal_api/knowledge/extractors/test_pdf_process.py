"""A PDF is read in a process that can be stopped, whatever the PDF asks for."""

import sys
import zlib

import pytest
from fpdf import FPDF
from structlog.testing import capture_logs

from app.internal_api.knowledge.documents import SourceRefused
from app.internal_api.knowledge.extractors import pdf_process
from app.internal_api.knowledge.extractors.extracted import Extracted
from app.internal_api.knowledge.extractors.pdf_process import extract_pdf


def pdf(*pages: str) -> bytes:
    made = FPDF()
    made.set_font("helvetica", size=12)
    for text in pages:
        made.add_page()
        made.multi_cell(0, 8, text)
    return bytes(made.output())


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
    monkeypatch.setattr(pdf_process, "COMMAND", (sys.executable, "-c", program))


def refusal(data: bytes, seconds: float = pdf_process.SECONDS) -> str:
    with pytest.raises(SourceRefused) as refused:
        extract_pdf(data, seconds)
    return refused.value.code


def test_the_pages_and_the_title_come_back() -> None:
    assert extract_pdf(pdf("One page.", "Ünother.")) == Extracted(("One page.\n", "Ünother.\n"), None, paged=True)


def test_a_reader_is_given_no_secret_of_the_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET_KEY", "hunter2")
    child(
        monkeypatch,
        "import json, os; print(json.dumps({'parts': list(os.environ), 'title': None, 'paged': False}))",
    )

    given = extract_pdf(b"%PDF-1.7").parts

    assert "PYTHONPATH" in given
    assert "SECRET_KEY" not in given


def test_a_refusal_comes_back_as_it_was() -> None:
    assert refusal(b"not a PDF") == "unreadable_pdf"


def test_a_pdf_that_takes_too_long_is_stopped() -> None:
    hours = greedy(5_000, 100_000)

    assert len(hours) < 10_000
    assert refusal(hours, seconds=1) == "too_large"


def test_a_pdf_that_takes_too_much_memory_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    module = "app.internal_api.knowledge.extractors.pdf_process"
    child(monkeypatch, f"import {module} as it; it.MEMORY = 160 * 1024**2; it.main()")

    assert refusal(greedy(1, 400_000)) == "unreadable_pdf"


@pytest.mark.parametrize("program", ["import os; os.abort()", "raise SystemExit(1)"])
def test_a_reader_that_crashes_takes_nobody_along(monkeypatch: pytest.MonkeyPatch, program: str) -> None:
    child(monkeypatch, program)

    assert refusal(pdf("One page.")) == "unreadable_pdf"


def test_halves_of_surrogate_pairs_come_back(monkeypatch: pytest.MonkeyPatch) -> None:
    module = "app.internal_api.knowledge.extractors.pdf_process"
    lone = "it.read_pdf = lambda data: it.Extracted((chr(0xd800),), None, True)"
    child(monkeypatch, f"import {module} as it; {lone}; it.main()")

    assert extract_pdf(b"").parts == ("\ud800",)


def test_a_reader_that_crashes_leaves_its_last_words_in_the_log(monkeypatch: pytest.MonkeyPatch) -> None:
    program = "import sys; sys.exit('the installation is broken')"
    monkeypatch.setattr(pdf_process, "COMMAND", (sys.executable, "-c", program))

    with capture_logs() as lines, pytest.raises(SourceRefused):
        extract_pdf(b"%PDF-1.7")

    assert lines == [
        {
            "event": "pdf_reader.died",
            "log_level": "warning",
            "returncode": 1,
            "reason": "the installation is broken\n",
        }
    ]
