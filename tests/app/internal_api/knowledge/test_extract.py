"""Which kind a source is, and what every kind has in common."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.internal_api.knowledge.documents import SourceRefused
from app.internal_api.knowledge.extract import extract_document
from app.internal_api.knowledge.extractors import page
from app.internal_api.knowledge.extractors.plain import MAX_CHARACTERS, decode_text
from app.internal_api.knowledge.media_types import split_media_type
from mcp_server.minds_api.refusals import UNREADABLE
from mcp_server.toolsets.personas._editing import MOST_BYTES

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
        (b"\x01\x02 text", "x.txt", None, "not_text"),
        (b"{not json", "x.json", None, "unreadable_json"),
        (b"[1,]", "x.json", None, "unreadable_json"),
        (b'{"a":' * 900 + b"1" + b"}" * 900, "x.json", None, "unreadable_json"),
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
    assert outcome(data, filename, media_type)[0] == code


@given(
    st.binary(max_size=300), st.sampled_from(["x", "x.pdf", "x.docx", "x.html", "x.csv", "x.json", "x.xml", "x.rtf"])
)
def test_any_bytes_become_a_document_or_a_refusal(data: bytes, filename: str) -> None:
    code, text = outcome(data, filename)

    assert bool(code) != bool(text)
    assert "\x00" not in text


LETTER = rb"""{\rtf1\ansi\ansicpg1252\deff0{\fonttbl{\f0\fswiss Helvetica;}}{\colortbl;\red255\green0\blue0;}
{\*\generator Word 16;}{\info{\title Secret}}\pard\f0\fs24 Rye {\b dough} is sticky\'85\par
Br\u246?tchen cost 3\~\u8364\'80 \{each\}\line and \ldblquote more\rdblquote .\par \u-10179?\u-9030?
{\pict\pngblip 89504e470d0a}}"""
SHOP = b"""{"shop": "Ada's", "open": true, "owner": null, "tags": ["rye", 2.5],
    "offers": [{"grain": "rye", "price": 2}, {"grain": "wheat", "sizes": {"small": 1}}]}"""
SHOP_TEXT = """shop: Ada's; open: true; owner: null
tags - rye, 2.5
offers - grain: rye; price: 2
offers - grain: wheat
offers sizes - small: 1"""
ARTICLE = b"""<html><head><title> Rye  bread </title><style>p{}</style></head><body>
<nav><a href="/">Home</a> <a href="/shop">Shop</a></nav><main><article><h1>Rye bread</h1>
<p>Rye dough is <b>sticky</b>, because rye has hardly any gluten to hold it together.</p>
<h2>Baking</h2><p>It is baked for an hour at two hundred degrees, and rests for a day.</p>
<ul><li>Use wet hands</li><li>Use a tin</li></ul>
<table><tr><th>Kind</th><th>Coins</th></tr><tr><td>Dark</td><td>3</td></tr></table>
</article></main><footer>Copyright 2026 by nobody</footer><script>track("rye")</script></body></html>"""
MAIN_TEXT = """# Rye bread

Rye dough is sticky, because rye has hardly any gluten to hold it together.

## Baking

It is baked for an hour at two hundred degrees, and rests for a day.

- Use wet hands
- Use a tin

| Kind | Coins |
|---|---|
| Dark | 3 |"""
SHIFTED = "<p>東京のパン".encode("shift_jis")
FEED = b"""<?xml version="1.0" encoding="iso-8859-1"?><rss><!-- no --><?no no?><channel>
    <title>Br\xf6tchen</title><item><description><![CDATA[Rye & wheat]]></description></item></channel></rss>"""


@pytest.mark.parametrize(
    ("name", "data", "title", "text"),
    [
        ("a.txt", b"Rye\x07 is  \r\n\r\n\r\n\r\ndark.\x0cNext", "a.txt", "Rye is\n\ndark.\nNext"),
        ("a.md", b"---\nlayout: page\n---\nIntro\n\n## No\n\n# Rye #\n", "Rye", "Intro\n\n## No\n\n# Rye #"),
        *(
            (f"{name}.csv", f"Grain{name}Note\nrye{name}dark\nwheat{name}\n\noats\n".encode(), f"{name}.csv",
             "Grain: rye; Note: dark\nGrain: wheat\nGrain: oats")
            for name in (",", ";", "|")
        ),
        ("a.csv", b'Grain,Note\nrye,"dark, sour\nand ""good"""\nwheat,a,surplus\n', "a.csv",
         'Grain: rye; Note: dark, sour and "good"\nGrain: wheat; Note: a; surplus'),
        ("a.csv", b"Grain,Price\n", "a.csv", "Grain, Price"),
        ("a.csv", b'Grain\n"' + b"rye " * 60_000, "a.csv", 'Grain\n"' + ("rye " * 60_000).strip()),
        ("a.json", SHOP, "a.json", SHOP_TEXT),
        ("a.json", b'{"a": 1}\n\n{"a": 2}\n', "a.json", "a: 1\na: 2"),
        ("a.rtf", LETTER, "a.rtf", "Rye dough is sticky…\n\nBrötchen cost 3 € {each}\nand “more”.\n\n💺"),
        ("a.rtf", rb"{\rtf1 Rye}}}} and {{{wheat", "a.rtf", "Rye and wheat"),
        ("a.html", ARTICLE, "Rye bread", MAIN_TEXT),
        ("a.html", b"<html><body><div>Rye</div><select><option>Dark<option>Light</select><script>x</script>", "a.html",
         "Rye\n\nDark\n\nLight"),
        ("a.html", b'<html><meta charset="shift_jis">' + SHIFTED, "a.html", "東京のパン"),
        ("a.html", b'<html><meta http-equiv=Content-Type content="text/html; charset=Shift_JIS">' + SHIFTED, "a.html",
         "東京のパン"),
        ("a.xml", FEED, "Brötchen", "Brötchen\nRye & wheat"),
        ("a.txt", "“Grüße”".encode("cp1252"), "a.txt", "“Grüße”"),
    ],
)  # fmt: skip
def test_what_a_reader_sees_is_read_and_the_machinery_is_not(name: str, data: bytes, title: str, text: str) -> None:
    document = extract_document(data, filename=name, media_type=None)

    assert (document.title, document.text) == (title, text)


@pytest.mark.parametrize(
    "entity", ['SYSTEM "file:///etc/hostname"', 'SYSTEM "http://127.0.0.1:9/"', '"' + "rye " * 5 + '"']
)
def test_entities_of_xml_are_not_expanded(entity: str) -> None:
    data = f'<?xml version="1.0"?><!DOCTYPE a [<!ENTITY e {entity}>]><a>before &e; after</a>'.encode()

    code, text = outcome(data, "page.xml")

    assert (code, text.split()[0]) == (None, "before")
    assert "rye" not in text
    assert len(text) < 30


def test_a_page_of_too_many_elements_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page, "MAX_TAGS", 20)

    assert outcome(ARTICLE, "a.html") == ("too_large", "")


LETTERS = st.text(st.characters(categories=["L", "N", "P", "Zs"]), min_size=1, max_size=80)


@given(LETTERS, st.sampled_from(["utf-8-sig", "utf-16", "utf-32"]))
def test_utf_8_is_read_whatever_is_declared_in_vain_and_a_byte_order_mark_wins(text: str, charset: str) -> None:
    assert decode_text(text.encode(), "no-such-charset") == decode_text(text.encode()) == text
    assert decode_text(text.encode(charset), "ascii") == text.removeprefix("\ufeff")


@pytest.mark.parametrize(
    ("data", "charset", "text"),
    [
        ("“Grüße”".encode("cp1252"), "ISO-8859-1", "“Grüße”"),
        ("Жук".encode("koi8-r"), "koi8-r", "Жук"),
        ("東京".encode("euc-jp"), "'EUC-JP'", "東京"),
        (b"a\r\nb\rc", "us-ascii", "a\nb\nc"),
        (b"eye", "rot13", "eye"),
        (b"eye", "zip\x00", "eye"),
    ],
)
def test_the_declared_charset_is_believed_if_it_is_one(data: bytes, charset: str | None, text: str) -> None:
    assert decode_text(data, charset) == text


@pytest.mark.parametrize(
    ("text", "charset"),
    [
        ("Żółw błotny żyje w stawie. Ścieżka ma pięć kilometrów.", "cp1250"),
        ("Черепаха живёт в пруду.", "cp1251"),
        ("Черепаха живёт в пруду.", "koi8-r"),
        ("Η χελώνα ζει στη λίμνη.", "cp1253"),  # noqa: RUF001  as people write it
        ("亀は池に住んでいます。", "shift_jis"),
    ],
)
def test_a_text_in_an_encoding_that_is_not_told_is_refused_and_not_garbled(text: str, charset: str) -> None:
    with pytest.raises(SourceRefused) as refused:
        decode_text(text.encode(charset))

    assert refused.value.code == "not_text"


@pytest.mark.parametrize(
    "text",
    [
        "Größe: 5 m². „Schön“, sagte er – wirklich. 20 °C, § 5.",  # noqa: RUF001  as people write it
        "L’été où il y a des œufs, ça coûte 5 €. Année créée, «déjà vu», Noël.",  # noqa: RUF001  as people write it
        "(¿cómo?) «¿quién?» 1º de mayo, 2ª planta. ¡Ñandú!",
        "col·lega, l'àvia. São João põe coração.",
        "Åke på ön. Øl på Færøyene. Ævintýri þjóð.",
    ],
)
def test_a_text_of_western_europe_needs_no_charset(text: str) -> None:
    assert decode_text(text.encode("cp1252")) == text


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


def test_every_text_that_is_taken_is_read_and_a_longer_one_is_refused_with_the_limit() -> None:
    assert MAX_CHARACTERS >= MOST_BYTES
    assert f"{MAX_CHARACTERS:,} characters" in UNREADABLE["too_large"]


@pytest.mark.parametrize(
    ("code", "status", "passing"),
    [
        ("timeout", None, True),
        ("unreachable", None, True),
        ("private_address", None, False),
        ("http_status", None, False),
        *(("http_status", status, False) for status in (302, 403, 404)),
        *(("http_status", status, True) for status in (408, 429, 500, 503)),
    ],
)
def test_only_what_may_be_different_the_next_time_is_worth_another_try(
    code: str, status: int | None, passing: bool
) -> None:
    assert SourceRefused(code, "Not read.", status=status).is_passing is passing


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
    code, text = outcome(data, f"x.{extension}")

    assert bool(code) != bool(text)


def outcome(data: bytes, filename: str, media_type: str | None = None) -> tuple[str | None, str]:
    """The code of the refusal, or the text."""
    try:
        return None, extract_document(data, filename=filename, media_type=media_type).text
    except SourceRefused as refused:
        return refused.code, ""
