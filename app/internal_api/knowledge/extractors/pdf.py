"""PDF: the text layer, page by page."""

import io
import re
from itertools import pairwise

from pypdf import PdfReader
from pypdf.errors import PyPdfError

from app.internal_api.knowledge.documents import SourceRefused
from app.internal_api.knowledge.extractors.plain import Extracted, bounded

MAX_PAGES = 2_000
# What a hostile or broken file makes the reader stumble over, apart from its own errors.
BROKEN = (
    PyPdfError, ValueError, KeyError, IndexError, TypeError, AttributeError, RecursionError, OverflowError,
    NotImplementedError, AssertionError, ArithmeticError, OSError,
)  # fmt: skip
FULL_LINE = 0.75
HYPHENATED = re.compile(r"(?<=[^\W\d_])-$")


def extract_pdf(data: bytes, _charset: str | None) -> Extracted:
    """Read the text layer. Raises `SourceRefused`: `unreadable_pdf` (not a PDF, broken, encrypted), `too_large`."""
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
