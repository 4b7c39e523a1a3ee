"""Encodings, and where text ends and rubbish begins."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.internal_api.knowledge.documents import SourceRefused
from app.internal_api.knowledge.extractors.plain import decode_text, extract_markdown

LETTERS = st.text(st.characters(categories=["L", "N", "P", "Zs"]), min_size=1, max_size=80)


@given(LETTERS)
def test_utf_8_is_read_whatever_is_declared_in_vain(text: str) -> None:
    assert decode_text(text.encode(), "no-such-charset") == text
    assert decode_text(text.encode()) == text


@given(LETTERS, st.sampled_from(["utf-8-sig", "utf-16", "utf-32"]))
def test_a_byte_order_mark_wins(text: str, charset: str) -> None:
    assert decode_text(text.encode(charset), "ascii") == text.removeprefix("\ufeff")


@pytest.mark.parametrize(
    ("data", "charset", "text"),
    [
        ("“Grüße”".encode("cp1252"), None, "“Grüße”"),
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


@pytest.mark.parametrize("data", [bytes(100), bytes(range(256)), b"\x01\x02 text", b"\xff\xd8\xff\xe0\x00\x10JFIF\x00"])
def test_rubbish_is_not_text(data: bytes) -> None:
    with pytest.raises(SourceRefused) as refused:
        decode_text(data)

    assert refused.value.code == "not_text"


def test_markdown_has_its_first_heading_for_a_title_and_no_front_matter() -> None:
    extracted = extract_markdown(b"---\nlayout: page\n---\nIntro\n\n## Not this\n\n# Rye bread #\n\nDark.", None)

    assert extracted.title == "Rye bread"
    assert extracted.parts == ("Intro\n\n## Not this\n\n# Rye bread #\n\nDark.",)
