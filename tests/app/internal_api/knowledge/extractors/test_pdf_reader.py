"""The reader of a PDF keeps to its memory, and tells whatever it has read."""

import sys

import pytest

from app.internal_api.knowledge.documents import SourceRefused
from app.internal_api.knowledge.extractors import pdf_process
from app.internal_api.knowledge.extractors.pdf_process import extract_pdf
from tests.app.internal_api.knowledge.extractors.greedy import greedy

HELD = "import app.internal_api.knowledge.extractors.pdf_reader as it; "


def child(monkeypatch: pytest.MonkeyPatch, program: str) -> None:
    """Have the reader changed before it reads."""
    monkeypatch.setattr(pdf_process, "COMMAND", (sys.executable, "-c", f"{HELD}{program}; it.main()"))


def test_a_pdf_that_takes_too_much_memory_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    child(monkeypatch, "it.MEMORY = 160 * 1024**2")

    with pytest.raises(SourceRefused) as refused:
        extract_pdf(greedy(1, 400_000))

    assert refused.value.code == "unreadable_pdf"


def test_halves_of_surrogate_pairs_come_back(monkeypatch: pytest.MonkeyPatch) -> None:
    child(
        monkeypatch,
        "from app.internal_api.knowledge.extractors.extracted import Extracted; "
        "it.read_pdf = lambda data: Extracted((chr(0xd800),), None, True)",
    )

    assert extract_pdf(b"").parts == ("\ud800",)
