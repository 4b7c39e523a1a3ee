"""The program that reads a PDF from standard input, and writes its pages, or why not, to standard output."""

import io
import json
import re
import sys
from dataclasses import asdict
from itertools import pairwise

from pypdf import PdfReader
from pypdf.errors import PyPdfError

from app.internal_api.children import limit_resources
from app.internal_api.knowledge.documents import SourceRefused
from app.internal_api.knowledge.extractors.pdf import SECONDS
from app.internal_api.knowledge.extractors.plain import Extracted, bounded

MAX_PAGES = 2_000
MEMORY = 1024**3
"""Bytes; several PDFs are read at once."""
# What a hostile or broken file makes the reader stumble over, apart from its own errors.
BROKEN = (
    PyPdfError, ValueError, KeyError, IndexError, TypeError, AttributeError, RecursionError, OverflowError,
    NotImplementedError, AssertionError, ArithmeticError, OSError, MemoryError,
)  # fmt: skip
FULL_LINE = 0.75
HYPHENATED = re.compile(r"(?<=[^\W\d_])-$")


def main() -> None:
    """Read it within the limits of this process."""
    limit_resources(SECONDS, MEMORY)
    try:
        result = asdict(read_pdf(sys.stdin.buffer.read()))
    except SourceRefused as refused:
        result = {"code": refused.code, "message": refused.message}
    sys.stdout.write(json.dumps(result))


def read_pdf(data: bytes) -> Extracted:
    """Read the text layer.

    Raises:
        SourceRefused: `unreadable_pdf` (not a PDF, broken, encrypted), `too_large`.

    """
    try:
        reader = PdfReader(io.BytesIO(data))
        if reader.is_encrypted and not reader.decrypt(""):
            raise SourceRefused("unreadable_pdf", "The PDF is protected by a password.")
        if not reader.pages:
            raise SourceRefused("unreadable_pdf", "The PDF has no pages.")
        if len(reader.pages) > MAX_PAGES:
            raise SourceRefused("too_large", f"The PDF has more than {MAX_PAGES} pages.")
        pages = tuple(bounded(_unwrapped(page.extract_text()) for page in reader.pages))
        title = reader.metadata.title if reader.metadata else None
        return Extracted(pages, title=str(title) if title else None, paged=True)
    except BROKEN:
        raise SourceRefused("unreadable_pdf", "The PDF cannot be read.") from None


def _unwrapped(page: str) -> str:
    """Join the lines that were broken only because they were full; sentences are needed whole."""
    lines = [line.strip() for line in page.splitlines()]
    full = FULL_LINE * max((len(line) for line in lines), default=0)
    pieces = []
    for line, following in pairwise([*lines, ""]):
        if HYPHENATED.search(line) and following[:1].islower():
            pieces.append(line[:-1])
        else:
            pieces.append(line + (" " if following and len(line) >= full else "\n"))
    return "".join(pieces)


if __name__ == "__main__":
    main()
