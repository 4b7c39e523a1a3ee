"""Web pages and XML: the main text, its headings, and nothing that a reader does not see."""

import pytest

from app.internal_api.knowledge.documents import Document, SourceRefused
from app.internal_api.knowledge.extract import extract_document
from app.internal_api.knowledge.extractors import page as extractor

ARTICLE = b"""<html><head><title> Rye  bread </title><style>p{}</style></head><body>
<nav><a href="/">Home</a> <a href="/shop">Shop</a></nav><main><article><h1>Rye bread</h1>
<p>Rye dough is <b>sticky</b>, because rye has hardly any gluten to hold it together.</p>
<h2>Baking</h2><p>It is baked for an hour at two hundred degrees, and rests for a day.</p>
<ul><li>Use wet hands</li><li>Use a tin</li></ul>
<table><tr><th>Kind</th><th>Coins</th></tr><tr><td>Dark</td><td>3</td></tr></table>
</article></main><footer>Copyright 2026 by nobody</footer><script>track("rye")</script></body></html>"""


def _read(data: bytes, media_type: str = "text/html") -> Document:
    return extract_document(data, filename="page", media_type=media_type)


def test_the_main_text_is_kept_with_its_headings() -> None:
    document = _read(ARTICLE)

    assert document.title == "Rye bread"
    assert document.text == (
        "# Rye bread\n\n"
        "Rye dough is sticky, because rye has hardly any gluten to hold it together.\n\n"
        "## Baking\n\n"
        "It is baked for an hour at two hundred degrees, and rests for a day.\n\n"
        "- Use wet hands\n- Use a tin\n\n"
        "| Kind | Coins |\n|---|---|\n| Dark | 3 |"
    )


def test_a_page_without_a_main_part_gives_all_that_is_visible() -> None:
    document = _read(b"<html><body><div>Rye</div><select><option>Dark<option>Light</select><script>x</script>")

    assert document.text.split() == ["Rye", "Dark", "Light"]


@pytest.mark.parametrize(
    "head",
    [b'<meta charset="shift_jis">', b'<meta http-equiv=Content-Type content="text/html; charset=Shift_JIS">'],
)
def test_the_page_may_name_its_own_encoding(head: bytes) -> None:
    document = _read(b"<html><head>" + head + b"</head><body><p>" + "東京のパン".encode("shift_jis"))

    assert document.text == "東京のパン"


def test_a_page_of_too_many_elements_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extractor, "MAX_ELEMENTS", 10)

    with pytest.raises(SourceRefused) as refused:
        _read(ARTICLE)

    assert refused.value.code == "too_large"


def test_xml_gives_the_text_of_its_elements() -> None:
    feed = b"""<?xml version="1.0" encoding="iso-8859-1"?><rss><!-- no --><?no no?><channel>
        <title>Br\xf6tchen</title>
        <item><description><![CDATA[Rye & wheat]]></description></item></channel></rss>"""

    document = _read(feed, "application/rss+xml")

    assert document.title == "Brötchen"
    assert document.text == "Brötchen\nRye & wheat"


@pytest.mark.parametrize(
    "entity", ['SYSTEM "file:///etc/hostname"', 'SYSTEM "http://127.0.0.1:9/"', '"' + "rye " * 5 + '"']
)
def test_entities_of_xml_are_not_expanded(entity: str) -> None:
    data = f'<?xml version="1.0"?><!DOCTYPE a [<!ENTITY e {entity}>]><a>before &e; after</a>'.encode()

    document = _read(data, "application/xml")

    assert document.text.split()[0] == "before"
    assert "rye" not in document.text
    assert len(document.text) < 30
