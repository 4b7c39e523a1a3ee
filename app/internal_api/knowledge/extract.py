"""From bytes to a readable document: decide what they are, extract their text, and refuse what has none.

The program of a child process, since a small file can ask for hours and gigabytes: a form that calls forms, a tag of
a million attributes, sixteen million paragraphs. What it costs is known when it has been read.
"""

import io
import json
import re
import struct
import sys
import zipfile
from collections.abc import Callable
from dataclasses import asdict
from itertools import accumulate
from pathlib import PurePosixPath
from pkgutil import resolve_name

import orjson

from app.internal_api.children import limit_resources
from app.internal_api.knowledge.documents import Document, SourceRefused
from app.internal_api.knowledge.extractors.plain import Extracted, bounded
from app.internal_api.knowledge.media_types import ACCEPTED, EXTRACTORS, NAMES, declared_kind, split_media_type

SECONDS, MEMORY = 60, 512 * 1024**2
"""Of processor time, half of which a PDF of a thousand dense pages takes; and bytes."""
EXTRACTED_BY = "app.internal_api.knowledge.extractors"
MAX_BYTES = 16 * 1024**2
WITH_PICTURES = frozenset({"rtf", "pdf", "docx"})
"""Which may be longer."""
SNIFF_WINDOW = 1024
PDF_START = b"%PDF-"
MARKUP = re.IGNORECASE | re.DOTALL
# The possessive loop keeps a row of comments from being cut up in every possible way.
HTML_START = re.compile(rb"(?:\xef\xbb\xbf)?(?:\s*<!--.*?-->)*+\s*<(?:!doctype\s+html|html)\b", MARKUP)
XHTML_START = re.compile(rb"(?:\xef\xbb\xbf)?\s*<\?xml\b.*?<html\b", MARKUP)
XML_START = re.compile(rb"(?:\xef\xbb\xbf)?\s*<\?xml\b", MARKUP)
MAX_TITLE = 200
# Not text to anybody, and PostgreSQL stores no NUL. Line and page separators become line ends.
STRAY_CONTROLS = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\ufeff\ufffe\uffff\ud800-\udfff]")
SEPARATORS = re.compile(r"\r\n|[\r\x0b\x0c\x85\u2028\u2029]")
BLANK_LINES = re.compile(r"\n{3,}")


def extract_document(data: bytes, *, filename: str, media_type: str | None) -> Document:
    """Read one source.

    Raises `SourceRefused`: `not_text`, `no_text`, `too_large`, `unreadable_pdf`, `unreadable_docx`, `unreadable_json`,
    `unreadable_xml`.
    """
    essence, charset = split_media_type(media_type)
    kind = kind_of(data, essence, filename)
    if len(data) > MAX_BYTES and kind not in WITH_PICTURES:
        raise SourceRefused("too_large", f"The source is larger than {MAX_BYTES:,} bytes. Give it in several parts.")
    extract: Callable[[bytes, str | None], Extracted] = resolve_name(f"{EXTRACTED_BY}.{EXTRACTORS[kind]}")
    extracted = extract(data, charset)
    parts = list(bounded(_tidy(part) for part in extracted.parts))
    text = "\n\n".join(parts)
    if not any(char.isalnum() for char in text):
        raise SourceRefused("no_text", "The source has no readable text (a scan, an empty page or a script only).")
    return Document(
        title=_title(extracted.title) or _title(PurePosixPath(filename).name) or "Untitled",
        text=text,
        source=filename,
        link=None,
        media_type=NAMES[kind][0],
        pages=tuple(accumulate((len(part) + 2 for part in parts[:-1]), initial=0)) if extracted.paged else None,
    )


def kind_of(data: bytes, essence: str, filename: str) -> str:
    """What the bytes are: by their first bytes, then by the media type, then by the file's extension.

    Raises `SourceRefused`: `not_text`, or `unreadable_…` for what only calls itself a PDF or a Word document.
    """
    sniffed, declared = _sniffed(data), declared_kind(essence, filename)
    # A page in the place of a file is a sign-in or an error, and not what was asked for.
    is_page = sniffed in {"html", "xml"} and declared in {"pdf", "docx"}
    kind = declared if is_page else sniffed or declared
    if kind == "pdf" and PDF_START not in data[:SNIFF_WINDOW]:
        raise SourceRefused("unreadable_pdf", "The source calls itself a PDF, but it is not one.")
    if kind == "docx" and not _is_docx(data):
        raise SourceRefused("unreadable_docx", "The source calls itself a Word document, but it is not one.")
    if kind is None:
        raise SourceRefused("not_text", f"The source is not of an accepted kind: {ACCEPTED}.")
    return kind


def _sniffed(data: bytes) -> str | None:
    start = data[:SNIFF_WINDOW]
    if start.startswith(b"{\\rtf"):
        return "rtf"
    if HTML_START.match(start) or XHTML_START.match(start):
        return "html"
    if PDF_START in start:
        return "pdf"
    if start.startswith(b"PK\x03\x04") and _is_docx(data):
        return "docx"
    return "xml" if XML_START.match(start) else None


def _is_docx(data: bytes) -> bool:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return "word/document.xml" in archive.namelist()
    except (zipfile.BadZipFile, struct.error, ValueError, OSError, RuntimeError):
        return False


def _tidy(text: str) -> str:
    lines = STRAY_CONTROLS.sub("", SEPARATORS.sub("\n", text)).split("\n")
    return BLANK_LINES.sub("\n\n", "\n".join(line.rstrip() for line in lines)).strip()


def _title(text: str | None) -> str:
    return " ".join(STRAY_CONTROLS.sub("", text or "").split())[:MAX_TITLE].strip()


def main() -> None:
    """Read standard input within the limits of this process; write a document, or why there is none."""
    limit_resources(SECONDS, MEMORY)
    filename, media_type = json.loads(sys.argv[1])
    try:
        result = asdict(extract_document(sys.stdin.buffer.read(), filename=filename, media_type=media_type))
    except SourceRefused as refused:
        result = {"code": refused.code, "message": refused.message}
    sys.stdout.buffer.write(orjson.dumps(result))


if __name__ == "__main__":
    main()
