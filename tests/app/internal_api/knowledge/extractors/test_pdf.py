"""Real PDF documents: pages, titles, passwords and ruins; read in a process that can be stopped."""

import subprocess
import sys
import zlib
from io import BytesIO

import pytest
from fpdf import FPDF
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pypdf import PdfReader, PdfWriter
from structlog.testing import capture_logs

from app.internal_api.knowledge.chunk import chunk_document
from app.internal_api.knowledge.documents import Document, SourceRefused
from app.internal_api.knowledge.extract import EXTRACTORS, extract_document
from app.internal_api.knowledge.extractors import pdf as pdf_process
from app.internal_api.knowledge.extractors import pdf_reader as extractor
from app.internal_api.knowledge.extractors.pdf import extract_pdf
from app.internal_api.knowledge.extractors.plain import Extracted

PAGES = (
    """Rye dough is sticky. It has hardly any gluten, so it is shaped with wet hands and baked in a tin, where
    it cannot run away from the baker.""",
    """Wheat dough is elastic. Kneading develops its gluten, and the loaf keeps its shape on the bare stone of
    the oven until its crust has set.""",
    "Oats have no gluten at all. They are used for porridge and for biscuits.",
)


def _pdf(*pages: str, title: str | None = None) -> bytes:
    made = FPDF()
    if title:
        made.set_title(title)
    for text in pages:
        made.add_page()
        made.set_font("helvetica", size=12)
        if text:
            made.multi_cell(0, 8, " ".join(text.split()))
    return bytes(made.output())


@pytest.fixture(autouse=True)
def in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """How a PDF is read is asked in this process; the last tests ask where."""
    monkeypatch.setitem(EXTRACTORS, "pdf", lambda data, _charset: extractor.read_pdf(data))


def _read(data: bytes) -> Document:
    return extract_document(data, filename="grain.pdf", media_type="application/pdf")


def _refusal(data: bytes) -> str:
    with pytest.raises(SourceRefused) as refused:
        _read(data)
    return refused.value.code


def test_every_page_is_kept_and_can_be_cited() -> None:
    document = _read(_pdf(*PAGES, title="The book of grain"))

    chunks = chunk_document(document)
    assert document.title == "The book of grain"
    assert [(chunk.page, chunk.text) for chunk in chunks] == [
        (number, " ".join(text.split())) for number, text in enumerate(PAGES, start=1)
    ]


def test_a_hyphenated_word_is_made_whole() -> None:
    made = FPDF()
    made.add_page()
    made.set_font("helvetica", size=12)
    made.multi_cell(0, 8, "The loaf is fermen-\nted for a night.\nShort.\nThen it is baked.")

    document = _read(bytes(made.output()))

    assert "fermented for a night." in document.text


def test_a_scan_without_text_is_refused() -> None:
    assert _refusal(_pdf("", "")) == "no_text"


def test_a_password_is_needed_or_not() -> None:
    data = {}
    for password in ("", "secret"):
        writer = PdfWriter(clone_from=PdfReader(BytesIO(_pdf(*PAGES))))
        writer.encrypt(user_password=password, owner_password="owner", algorithm="AES-256")
        with BytesIO() as out:
            writer.write(out)
            data[password] = out.getvalue()

    assert "sticky" in _read(data[""]).text
    assert _refusal(data["secret"]) == "unreadable_pdf"


@pytest.mark.parametrize(
    "data",
    [
        b"%PDF-1.7",
        b"%PDF-1.7\nrubbish\n%%EOF",
        b"%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 1 0 R>>endobj\ntrailer<</Root 1 0 R>>\nstartxref\n0\n%%EOF",
    ],
)
def test_a_ruined_pdf_is_refused(data: bytes) -> None:
    assert _refusal(data) == "unreadable_pdf"


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_a_damaged_pdf_becomes_a_document_or_a_refusal(data: st.DataObject) -> None:
    damaged = bytearray(_pdf(PAGES[0]))
    for _ in range(data.draw(st.integers(1, 8))):
        damaged[data.draw(st.integers(8, len(damaged) - 1))] = data.draw(st.integers(0, 255))

    try:
        outcome = "read" if _read(bytes(damaged)).text else ""
    except SourceRefused as refused:
        outcome = refused.code

    assert outcome in {"read", "unreadable_pdf", "no_text", "too_large"}


def test_too_many_pages_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extractor, "MAX_PAGES", 2)

    assert _refusal(_pdf(*PAGES)) == "too_large"


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


def process_refusal(data: bytes, seconds: float = pdf_process.SECONDS) -> str:
    with pytest.raises(SourceRefused) as refused:
        extract_pdf(data, seconds=seconds)
    return refused.value.code


def test_the_pages_and_the_title_come_back() -> None:
    assert extract_pdf(_pdf("One page.", "Ünother.")) == Extracted(("One page.\n", "Ünother.\n"), None, paged=True)


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
    assert process_refusal(hours, seconds=1) == "too_large"


def test_a_server_does_not_load_what_reads_the_pdf() -> None:
    loaded = "import sys, app.internal_api.knowledge.extract; print(*sys.modules)"

    run = subprocess.run((sys.executable, "-P", "-c", loaded), check=True, capture_output=True, text=True)

    assert "app.internal_api.knowledge.extractors.pdf" in run.stdout.split()
    assert "pypdf" not in run.stdout.split()


def test_a_reader_that_crashes_leaves_its_last_words_in_the_log(monkeypatch: pytest.MonkeyPatch) -> None:
    child(monkeypatch, "import sys; sys.exit('the installation is broken')")

    with capture_logs() as lines, pytest.raises(SourceRefused):
        extract_pdf(b"%PDF-1.7")

    assert [(line["event"], line["returncode"], line["reason"]) for line in lines] == [
        ("pdf_reader.died", 1, "the installation is broken\n")
    ]


HELD = "import app.internal_api.knowledge.extractors.pdf_reader as it; "


def test_a_pdf_that_takes_too_much_memory_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    child(monkeypatch, f"{HELD}it.MEMORY = 160 * 1024**2; it.main()")

    assert process_refusal(greedy(1, 400_000)) == "unreadable_pdf"


def test_halves_of_surrogate_pairs_come_back(monkeypatch: pytest.MonkeyPatch) -> None:
    read = "it.read_pdf = lambda data: it.Extracted((chr(0xd800),), None, True)"
    child(monkeypatch, f"{HELD}{read}; it.main()")

    assert extract_pdf(b"").parts == ("\ud800",)
