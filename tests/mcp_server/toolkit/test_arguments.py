"""Arguments are trimmed, and refused with words that say what is allowed."""

from typing import Annotated

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from mcp_server.toolkit.arguments import ONE_LINE, PLAIN_TEXT, WEB_LINK

line = TypeAdapter[str](Annotated[str, ONE_LINE])
plain = TypeAdapter[str](Annotated[str, PLAIN_TEXT])
link = TypeAdapter[str](Annotated[str, WEB_LINK])


@pytest.mark.parametrize("text", ["Ada Lovelace", "Zoë 🤖 日本語", "O'Neil", "", "a\u200db"])
def test_one_line_of_any_script_passes(text: str) -> None:
    assert line.validate_python(text) == text


@given(st.text(alphabet=st.characters(exclude_categories=("Cc", "Cs"))))
def test_text_without_control_characters_passes_as_it_is(text: str) -> None:
    assert plain.validate_python(text) == text


NO_LINES = ["a\nb", "a\rb", "a\tb", "\x00", "\x7f", "\x85", "\u2028", "\u2029", "\u202e", "\ud800"]
NO_TEXTS = ["a\x00", "\x1b[0m", "\x08", "\x9b", "\udfff"]


@pytest.mark.parametrize(("kind", "text"), [(line, each) for each in NO_LINES] + [(plain, each) for each in NO_TEXTS])
def test_what_breaks_or_turns_a_line_and_control_characters_are_refused(kind: TypeAdapter[str], text: str) -> None:
    with pytest.raises(ValidationError):
        kind.validate_python(text)


@pytest.mark.parametrize(
    "address", ["https://example.com", "http://example.com:8080/a?b=c#d", "https://münchen.de/ä", "http://[::1]/"]
)
def test_a_web_address_passes(address: str) -> None:
    assert link.validate_python(address) == address


@pytest.mark.parametrize(
    "address",
    [
        "",
        "example.com",
        "ftp://example.com",
        "file:///etc/passwd",
        "javascript:alert(1)",
        "data:text/html,x",
        "https://",
        "https:///path",
        "https://user@example.com",
        "https://user:secret@example.com",
        "https://example.com:99999",
        "https://example.com:0",
        "https://example.com/a b",
        "https://example.com/\n",
        "http://[::1",
    ],
)
def test_what_is_no_web_address_is_refused(address: str) -> None:
    with pytest.raises(ValidationError):
        link.validate_python(address)
