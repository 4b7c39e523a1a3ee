"""A PDF is read in a process that can be stopped, whatever the PDF asks for."""

import subprocess
import sys

import pytest
from fpdf import FPDF
from structlog.testing import capture_logs

from app.internal_api.knowledge.documents import SourceRefused
from app.internal_api.knowledge.extractors import pdf as pdf_process
from app.internal_api.knowledge.extractors.pdf import extract_pdf
from app.internal_api.knowledge.extractors.plain import Extracted
from tests.app.internal_api.knowledge.extractors.greedy import greedy


def pdf(*pages: str) -> bytes:
    made = FPDF()
    made.set_font("helvetica", size=12)
    for text in pages:
        made.add_page()
        made.multi_cell(0, 8, text)
    return bytes(made.output())


def child(monkeypatch: pytest.MonkeyPatch, program: str) -> None:
    """Have another program in the place of the reader."""
    monkeypatch.setattr(pdf_process, "COMMAND", (sys.executable, "-c", program))


def refusal(data: bytes, seconds: float = pdf_process.SECONDS) -> str:
    with pytest.raises(SourceRefused) as refused:
        extract_pdf(data, seconds=seconds)
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


def test_a_pdf_that_takes_too_long_is_stopped() -> None:
    hours = greedy(5_000, 100_000)

    assert len(hours) < 10_000
    assert refusal(hours, seconds=1) == "too_large"


def test_a_server_does_not_load_what_reads_the_pdf() -> None:
    loaded = "import sys, app.internal_api.knowledge.extract; print(*sys.modules)"

    run = subprocess.run((sys.executable, "-P", "-c", loaded), check=True, capture_output=True, text=True)

    assert "app.internal_api.knowledge.extractors.pdf" in run.stdout.split()
    assert "pypdf" not in run.stdout.split()


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


HELD = "import app.internal_api.knowledge.extractors.pdf_reader as it; "


def test_a_pdf_that_takes_too_much_memory_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    child(monkeypatch, f"{HELD}it.MEMORY = 160 * 1024**2; it.main()")

    assert refusal(greedy(1, 400_000)) == "unreadable_pdf"


def test_halves_of_surrogate_pairs_come_back(monkeypatch: pytest.MonkeyPatch) -> None:
    read = "it.read_pdf = lambda data: it.Extracted((chr(0xd800),), None, True)"
    child(monkeypatch, f"{HELD}{read}; it.main()")

    assert extract_pdf(b"").parts == ("\ud800",)
