"""Real PDF documents: pages, titles, passwords and ruins."""

from io import BytesIO

import pytest
from fpdf import FPDF
from hypothesis import given
from hypothesis import strategies as st
from pypdf import PdfReader, PdfWriter

from app.internal_api.knowledge.chunk import chunk_document
from app.internal_api.knowledge.extract import extract_document
from app.internal_api.knowledge.extractors import pdf
from tests.app.internal_api.knowledge.test_extract import outcome

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


def _read(data: bytes) -> tuple[str | None, str]:
    """The code of the refusal, or the text."""
    return outcome(data, "grain.pdf", "application/pdf")


def test_every_page_is_kept_and_can_be_cited() -> None:
    made = _pdf(*PAGES, title="The book of grain")
    document = extract_document(made, filename="grain.pdf", media_type="application/pdf")

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

    assert "fermented for a night." in _read(bytes(made.output()))[1]


def test_a_password_is_needed_or_not() -> None:
    data = {}
    for password in ("", "secret"):
        writer = PdfWriter(clone_from=PdfReader(BytesIO(_pdf(*PAGES))))
        writer.encrypt(user_password=password, owner_password="owner", algorithm="AES-256")
        with BytesIO() as out:
            writer.write(out)
            data[password] = out.getvalue()

    assert "sticky" in _read(data[""])[1]
    assert _read(data["secret"])[0] == "unreadable_pdf"


LOOP = b"%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 1 0 R>>endobj\ntrailer<</Root 1 0 R>>\nstartxref\n0\n%%EOF"


def test_a_ruined_pdf_and_a_scan_without_text_are_refused() -> None:
    assert {_read(data)[0] for data in (b"%PDF-1.7", b"%PDF-1.7\nrubbish\n%%EOF", LOOP)} == {"unreadable_pdf"}
    assert _read(_pdf("", ""))[0] == "no_text"


@given(st.data())
def test_a_damaged_pdf_becomes_a_document_or_a_refusal(data: st.DataObject) -> None:
    damaged = bytearray(_pdf(PAGES[0]))
    for _ in range(data.draw(st.integers(1, 8))):
        damaged[data.draw(st.integers(8, len(damaged) - 1))] = data.draw(st.integers(0, 255))

    code, text = _read(bytes(damaged))

    assert text or code in {"unreadable_pdf", "no_text", "too_large"}


def test_too_many_pages_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pdf, "MAX_PAGES", 2)

    assert _read(_pdf(*PAGES))[0] == "too_large"
