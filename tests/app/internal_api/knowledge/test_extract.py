"""Which kind a source is, and what every kind has in common."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.internal_api.knowledge.documents import SourceRefused
from app.internal_api.knowledge.extract import extract_document, split_media_type
from app.internal_api.knowledge.extractors.plain import MAX_CHARACTERS

HTML = b"<!-- a --> <!DOCTYPE html><html><head><title>Rye</title></head><body><p>Rye is dark.</p></body></html>"


@pytest.mark.parametrize(
    ("data", "filename", "media_type", "kind"),
    [
        (HTML, "page", None, "text/html"),
        (HTML, "page.txt", "text/plain", "text/html"),
        (b"\xef\xbb\xbf<?xml version='1.0'?><html><body>Rye</body></html>", "x", "text/xml", "text/html"),
        (b"<?xml version='1.0'?><rss><title>Rye</title></rss>", "feed", "text/plain", "application/xml"),
        (b"<rss>Rye</rss>", "feed", "application/rss+xml", "application/xml"),
        (b"{\\rtf1 Rye}", "letter.doc", "application/msword", "application/rtf"),
        (b'{"grain": "rye"}', "x", "application/json; charset=utf-8", "application/json"),
        (b'{"grain": "rye"}', "x", "application/vnd.api+json", "application/json"),
        (b'{"grain": "rye"}', "x.json", None, "application/json"),
        (b"grain,price\nrye,2\n", "x", "text/csv", "text/csv"),
        (b"grain,price\nrye,2\n", "prices.CSV", "application/octet-stream", "text/csv"),
        (b"# Rye\n", "README.md", "text/plain", "text/markdown"),
        (b"# Rye\n", "x", "text/markdown", "text/markdown"),
        (b"Rye", "notes", None, "text/plain"),
        (b"Rye", "notes", "text/x-unheard-of", "text/plain"),
        (b"Rye", "notes.txt", "application/octet-stream", "text/plain"),
    ],
)
def test_the_kind_is_told_by_content_then_media_type_then_extension(
    data: bytes, filename: str, media_type: str | None, kind: str
) -> None:
    document = extract_document(data, filename=filename, media_type=media_type)

    assert document.media_type == kind
    assert "rye" in document.text.lower()


@pytest.mark.parametrize(
    ("data", "filename", "media_type", "code"),
    [
        (b"Rye", "x.png", "image/png", "not_text"),
        (b"Rye", "x", "application/zip", "not_text"),
        (b"\x89PNG\r\n\x1a\n" + bytes(range(256)), "photo.txt", "text/plain", "not_text"),
        (bytes(range(256)) * 40, "x", None, "not_text"),
        (b"\x00" * 1000, "x.md", None, "not_text"),
        (b"PK\x03\x04" + bytes(200), "x.zip", None, "not_text"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(500), "old.doc", "application/msword", "not_text"),
        (b"not a pdf", "x.pdf", None, "unreadable_pdf"),
        (b"not a pdf", "x", "application/pdf", "unreadable_pdf"),
        (HTML, "x.pdf", "text/html", None),
        (HTML, "x", "application/pdf", "unreadable_pdf"),
        (HTML, "x.pdf", None, "unreadable_pdf"),
        (HTML, "x.docx", None, "unreadable_docx"),
        (b"no zip", "x.docx", None, "unreadable_docx"),
        (b"{not json", "x.json", None, "unreadable_json"),
        (b"<open>", "x.xml", None, "unreadable_xml"),
        (b"", "x.txt", None, "no_text"),
        (b" \n\t -- ... \n", "x.txt", None, "no_text"),
        (b"<html><body><script>var rye = 1</script></body></html>", "x", None, "no_text"),
        (b"a" * (MAX_CHARACTERS + 1), "x.txt", None, "too_large"),
    ],
)
def test_what_is_no_document_is_refused_with_its_word(
    data: bytes, filename: str, media_type: str | None, code: str | None
) -> None:
    assert _outcome(data, filename, media_type)[0] == code


@given(
    st.binary(max_size=300),
    st.sampled_from(["x", "x.pdf", "x.docx", "x.html", "x.csv", "x.json", "x.xml", "x.rtf"]),
)
def test_any_bytes_become_a_document_or_a_refusal(data: bytes, filename: str) -> None:
    code, text = _outcome(data, filename)

    assert bool(code) != bool(text)
    assert "\x00" not in text


def test_stray_controls_and_blank_lines_are_tidied() -> None:
    document = extract_document(b"Rye\x07 is  \r\n\r\n\r\n\r\ndark.\x0cNext", filename="a.txt", media_type=None)

    assert document.text == "Rye is\n\ndark.\nNext"


@pytest.mark.parametrize(
    ("media_type", "parts"),
    [
        ('Text/HTML; Charset="UTF-8"', ("text/html", "UTF-8")),
        ("text/plain;charset=", ("text/plain", None)),
        ("text/plain; format=flowed", ("text/plain", None)),
        (None, ("", None)),
    ],
)
def test_a_media_type_is_taken_apart(media_type: str | None, parts: tuple[str, str | None]) -> None:
    assert split_media_type(media_type) == parts


@pytest.mark.parametrize(
    "data",
    [
        b"<!---->" * 140,
        b"# " + b" #" * 100_000 + b"x",
        b"x" + b" " * 200_000 + b"y",
        b"**" * 100_000,
        b"<html>" + b"<div>" * 100_000 + b"rye",
        b"<html>" + b"<b " * 100_000 + b"rye",
        b"[" * 100_000,
        b"{\\rtf1" + b"{" * 100_000,
        b"\\" * 200_000,
        b"<p>\x08&#8;&#0;&#xD800; rye" * 100,
        b'"' * 200_000,
    ],
)
@pytest.mark.parametrize("extension", ["html", "md", "json", "csv", "xml", "rtf"])
def test_hostile_text_ends_in_a_document_or_a_refusal(data: bytes, extension: str) -> None:
    # A hang is what this looks for: the test's own timeout tells it.
    code, text = _outcome(data, f"x.{extension}")

    assert bool(code) != bool(text)


def _outcome(data: bytes, filename: str, media_type: str | None = None) -> tuple[str | None, str]:
    """The code of the refusal, or the text."""
    try:
        return None, extract_document(data, filename=filename, media_type=media_type).text
    except SourceRefused as refused:
        return refused.code, ""
