"""Real Word documents, and archives that are none."""

import zipfile
from collections.abc import Callable, Mapping
from functools import cache
from io import BytesIO

import docx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.internal_api.knowledge.chunk import chunk_document
from app.internal_api.knowledge.extract import extract_document
from tests.app.internal_api.knowledge.test_extract import outcome

MAIN, NAME = "word/document.xml", "grain.docx"


@cache
def _word() -> bytes:
    made = docx.Document()
    made.core_properties.title = "The book of grain"
    made.add_heading("Grain", level=0)
    made.add_heading("Rye", level=1)
    made.add_paragraph("Rye dough is sticky.")
    made.add_heading("Prices", level=2)
    table = made.add_table(rows=0, cols=2)
    for left, right in (("Kind", "Coins"), ("Dark", "3"), ("Light", "3")):
        cells = table.add_row().cells
        cells[0].text, cells[1].text = left, right
    merged = table.add_row().cells
    merged[0].merge(merged[1]).text = "Tax included"
    made.add_paragraph("Prices hold for a year.")
    with BytesIO() as out:
        made.save(out)
        return out.getvalue()


def _archive(entries: Mapping[str, bytes]) -> bytes:
    with BytesIO() as out:
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, data in entries.items():
                archive.writestr(name, data)
        return out.getvalue()


def test_headings_paragraphs_and_tables_are_read_in_their_order() -> None:
    document = extract_document(_word(), filename=NAME, media_type=None)

    chunks = chunk_document(document)
    assert document.title == "The book of grain"
    assert [(chunk.heading, chunk.text) for chunk in chunks] == [
        ("Grain > Rye", "Rye dough is sticky."),
        ("Grain > Rye > Prices", "Kind | Coins\nDark | 3\nLight | 3\nTax included\n\nPrices hold for a year."),
    ]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("make", "code"),
    [
        (lambda: b"PK\x03\x04 but no archive", "unreadable_docx"),
        (lambda: _archive({"xl/workbook.xml": b"<x/>"}), "unreadable_docx"),
        (lambda: _archive({MAIN: b"<w:document/>"}), "unreadable_docx"),
        (lambda: _word()[:-200], "unreadable_docx"),
        (lambda: _archive({MAIN: bytes(30_000_000)}), "too_large"),
        (lambda: _archive({MAIN: b"<x/>"} | {f"word/media/{n}": bytes(50_000_000) for n in range(5)}), "too_large"),
        (lambda: _archive({MAIN: b"<x/>"} | {f"word/{n}": b"" for n in range(5001)}), "too_large"),
    ],
)
def test_what_is_no_word_document_is_refused(make: Callable[[], bytes], code: str) -> None:
    assert outcome(make(), NAME)[0] == code


def test_sizes_that_lie_do_not_let_a_bomb_in() -> None:
    honest = _archive({MAIN: bytes(30_000_000)})
    size = (30_000_000).to_bytes(4, "little")
    assert size in honest

    lying = honest.replace(size, (1_000).to_bytes(4, "little"))

    assert outcome(lying, NAME)[0] in {"unreadable_docx", "too_large"}


@given(st.data())
def test_a_damaged_document_is_read_or_refused(data: st.DataObject) -> None:
    damaged = bytearray(_word())
    for _ in range(data.draw(st.integers(1, 20))):
        damaged[data.draw(st.integers(0, len(damaged) - 1))] = data.draw(st.integers(0, 255))

    code, text = outcome(bytes(damaged), NAME)

    assert text or code in {"unreadable_docx", "too_large", "not_text", "no_text"}


def test_an_entity_bomb_is_not_expanded() -> None:
    with zipfile.ZipFile(BytesIO(_word())) as archive:
        entries = {name: archive.read(name) for name in archive.namelist()}
    entities = b"".join(b'<!ENTITY e%d "%s">' % (n, b"&e%d;" % (n - 1) * 10) for n in range(1, 10))
    declaration = b'<!DOCTYPE d [<!ENTITY e0 "rye">' + entities + b"]>"
    head, _, body = entries[MAIN].partition(b"?>")
    entries[MAIN] = head + b"?>" + declaration + body.replace(b"Rye dough", b"&e9;")

    code, text = outcome(_archive(entries), NAME)

    assert code in {None, "unreadable_docx"}
    assert len(text) < 1000
    assert "ryerye" not in text
