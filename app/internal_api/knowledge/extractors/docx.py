"""Word documents (DOCX): paragraphs, headings and tables in their order."""

import io
import struct
import zipfile
import zlib
from collections.abc import Iterator
from itertools import groupby

import docx
from docx.document import Document as Docx
from docx.table import Table

from app.internal_api.knowledge.documents import SourceRefused
from app.internal_api.knowledge.extractors.plain import Extracted, bounded

MAX_ENTRIES = 5_000
MAX_UNPACKED = 200 * 1024 * 1024
MAX_RATIO = 200  # XML of prose packs 10:1, of an empty table perhaps 60:1; a bomb packs 1000:1
RATIO_MATTERS_FROM = 1024 * 1024
BLOCK = 1024 * 1024
DEEPEST_HEADING = 6
# What a hostile or broken archive makes zipfile, the XML parser (a SyntaxError) and python-docx stumble over.
BROKEN = (
    zipfile.BadZipFile, zlib.error, struct.error, SyntaxError, KeyError, IndexError, ValueError, TypeError,
    AttributeError, RuntimeError, OSError, EOFError,
)  # fmt: skip


def extract_docx(data: bytes, _charset: str | None) -> Extracted:
    """Read the body of the document. Raises `SourceRefused`: `unreadable_docx`, `too_large`."""
    try:
        _check_archive(data)
        document = docx.Document(io.BytesIO(data))
        blocks = list(bounded(_blocks(document)))
        heading = next((block.lstrip("# ") for block in blocks if block.startswith("#")), None)
        return Extracted(("\n\n".join(blocks),), title=document.core_properties.title or heading)
    except BROKEN:
        raise SourceRefused("unreadable_docx", "The Word document cannot be read.") from None


def _check_archive(data: bytes) -> None:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        entries = archive.infolist()
        large = [entry for entry in entries if entry.file_size > RATIO_MATTERS_FROM]
        bomb = any(entry.file_size > entry.compress_size * MAX_RATIO for entry in large)
        if bomb or len(entries) > MAX_ENTRIES or sum(entry.file_size for entry in entries) > MAX_UNPACKED:
            raise SourceRefused("too_large", "The Word document unpacks to far more than a document.")
        # The sizes are the archive's own word. Where they lie, reading block by block ends in a wrong checksum,
        # whereas python-docx would have unpacked the whole entry into memory at once.
        for entry in entries:
            with archive.open(entry) as unpacked:
                while unpacked.read(BLOCK):
                    pass


def _blocks(document: Docx) -> Iterator[str]:
    for block in document.iter_inner_content():
        if isinstance(block, Table):
            rows = ([" ".join(cell.text.split()) for cell in row.cells] for row in block.rows)
            # A merged cell is given once for every column that it spans.
            lines = (" | ".join(cell for cell, _ in groupby(row) if cell) for row in rows)
            text = "\n".join(filter(None, lines))
        else:
            style = (block.style.name or "" if block.style else "").lower()
            level = "0" if style == "title" else style.removeprefix("heading ")
            # One deeper than Word counts: the title stands above them all.
            is_heading = level != style and level.isdecimal()
            marks = "#" * min(int(level) + 1, DEEPEST_HEADING) + " " if is_heading else ""
            words = " ".join(block.text.split())
            text = f"{marks}{words}" if words else ""
        if text:
            yield text
