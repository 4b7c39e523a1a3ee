"""From bytes to a readable document: decide what they are, extract their text, and refuse what has none."""

import re
import tomllib
from collections.abc import Callable
from email.message import Message
from itertools import accumulate
from pathlib import Path, PurePosixPath

from app.internal_api.knowledge.documents import Document, SourceRefused
from app.internal_api.knowledge.extractors.docx import extract_docx, is_docx
from app.internal_api.knowledge.extractors.page import extract_html, extract_xml
from app.internal_api.knowledge.extractors.pdf import extract_pdf
from app.internal_api.knowledge.extractors.plain import Extracted, bounded, extract_markdown, extract_plain
from app.internal_api.knowledge.extractors.records import extract_csv, extract_json
from app.internal_api.knowledge.extractors.rtf import extract_rtf

ACCEPTED = "text, Markdown, HTML, CSV, JSON, XML, RTF, PDF and Word (DOCX)"
NAMES = tomllib.loads(Path(__file__).with_name("kinds.toml").read_text(encoding="utf-8"))
EXTRACTORS: dict[str, Callable[[bytes, str | None], Extracted]] = {
    "text": extract_plain,
    "markdown": extract_markdown,
    "html": extract_html,
    "csv": extract_csv,
    "json": extract_json,
    "xml": extract_xml,
    "rtf": extract_rtf,
    "pdf": extract_pdf,
    "docx": extract_docx,
}
# What says nothing: browsers and servers send these for files that they do not know.
VAGUE = frozenset({"", "text/plain", "application/octet-stream", "binary/octet-stream"})
KINDS = {name: kind for kind, names in NAMES.items() for name in names if name not in VAGUE}
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
    """Read one source; meant for a thread, since large documents take seconds.

    Raises:
        SourceRefused: `not_text`, `no_text`, `too_large`, `unreadable_pdf`, `unreadable_docx`,
            `unreadable_json`, `unreadable_xml`.

    """
    essence, charset = split_media_type(media_type)
    kind = kind_of(data, essence, filename)
    extracted = EXTRACTORS[kind](data, charset)
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


def split_media_type(media_type: str | None) -> tuple[str, str | None]:
    """`Text/HTML; Charset="utf-8"` -> `text/html`, `utf-8`."""
    message = Message()
    message["Content-Type"] = media_type or ""
    charset = message.get_param("charset")
    essence = (media_type or "").partition(";")[0].strip().lower()
    return essence, charset if isinstance(charset, str) and charset else None


def kind_of(data: bytes, essence: str, filename: str) -> str:
    """What the bytes are: by their first bytes, then by the media type, then by the file's extension.

    Raises:
        SourceRefused: `not_text`, or `unreadable_…` for what only calls itself a PDF or a Word document.

    """
    sniffed, declared = _sniffed(data), _declared(essence, filename)
    # A page in the place of a file is a sign-in or an error, and not what was asked for.
    is_page = sniffed in {"html", "xml"} and declared in {"pdf", "docx"}
    kind = declared if is_page else sniffed or declared
    if kind == "pdf" and PDF_START not in data[:SNIFF_WINDOW]:
        raise SourceRefused("unreadable_pdf", "The source calls itself a PDF, but it is not one.")
    if kind == "docx" and not is_docx(data):
        raise SourceRefused("unreadable_docx", "The source calls itself a Word document, but it is not one.")
    if kind is None:
        raise SourceRefused("not_text", f"The source is not of an accepted kind: {ACCEPTED}.")
    return kind


def is_hopeless(essence: str) -> bool:
    """Whether a media type can be refused before its body is read."""
    return essence.partition("/")[0] in {"audio", "font", "image", "model", "video"}


def _sniffed(data: bytes) -> str | None:
    start = data[:SNIFF_WINDOW]
    if start.startswith(b"{\\rtf"):
        return "rtf"
    if HTML_START.match(start) or XHTML_START.match(start):
        return "html"
    if PDF_START in start:
        return "pdf"
    if start.startswith(b"PK\x03\x04") and is_docx(data):
        return "docx"
    return "xml" if XML_START.match(start) else None


def _declared(essence: str, filename: str) -> str | None:
    if essence in KINDS or is_hopeless(essence):
        return KINDS.get(essence)
    if essence.endswith(("+json", "+xml")):
        return essence.rpartition("+")[2]
    usual = "text" if essence in VAGUE or essence.startswith("text/") else None
    return KINDS.get(PurePosixPath(filename).suffix.lower(), usual)


def _tidy(text: str) -> str:
    lines = STRAY_CONTROLS.sub("", SEPARATORS.sub("\n", text)).split("\n")
    return BLANK_LINES.sub("\n\n", "\n".join(line.rstrip() for line in lines)).strip()


def _title(text: str | None) -> str:
    return " ".join(STRAY_CONTROLS.sub("", text or "").split())[:MAX_TITLE].strip()
