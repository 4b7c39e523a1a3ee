"""Whatever people and models write, what is left of it can stand in any file."""

from datetime import UTC, datetime
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_server.toolsets.panels._exports.plain import clean, moment, number_in, one_line, shortened, when

any_text = st.text(st.characters(codec=None), max_size=60)


@given(any_text)
def test_a_cleaned_text_stands_in_xml_and_in_utf_8(text: str) -> None:
    cleaned = clean(text)

    escaped = cleaned.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    assert (ET.fromstring(f"<t>{escaped}</t>".encode()).text or "") == cleaned
    assert clean(cleaned) == cleaned


@pytest.mark.parametrize(
    ("text", "cleaned"),
    [
        ("a\r\nb\rc\nd\u2028e", "a\nb\nc\nd\ne"),
        ("a\x00b\x07c\x1b[31m", "abc[31m"),
        ("half \ud83d pair", "half \ufffd pair"),
        ("whole 🦊 pair\tand tab", "whole 🦊 pair\tand tab"),
    ],
)
def test_breaks_become_line_feeds_and_what_cannot_be_written_goes(text: str, cleaned: str) -> None:
    assert clean(text) == cleaned


@given(any_text, st.integers(min_value=1, max_value=80))
def test_a_shortened_text_keeps_its_limit_and_says_that_it_was_cut(text: str, longest: int) -> None:
    short = shortened(text, longest)

    assert len(short) <= longest
    assert short == one_line(text) or short.endswith("…")


@pytest.mark.parametrize(
    ("told", "expected"),
    [
        ("2026-11-20T09:30:00Z", datetime(2026, 11, 20, 9, 30, tzinfo=UTC)),
        ("2026-11-20T11:30:00+02:00", datetime(2026, 11, 20, 9, 30, tzinfo=UTC)),
        ("2026-11-20T09:30:00", datetime(2026, 11, 20, 9, 30, tzinfo=UTC)),
        ("yesterday", None),
        ("0001-01-01T00:00:00+23:00", None),
        ("", None),
        (None, None),
    ],
)
def test_times_are_read_as_utc(told: str | None, expected: datetime | None) -> None:
    assert moment(told) == expected


def test_a_time_is_shown_to_the_minute_and_anything_else_as_it_came() -> None:
    assert when("2026-11-20T11:30:59+02:00") == "2026-11-20 09:30 UTC"
    assert when("some\nday") == "some day"
    assert when(None) == ""


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("8", 8),
        ("-2", -2),
        ("7.5", 7.5),
        (" 3 ", 3),
        *((text, None) for text in ("", "+1", "1e5", "٣", "-2+3", "1.", "9" * 16)),
    ],
)
def test_only_a_plain_decimal_is_a_number(text: str, number: float | None) -> None:
    assert number_in(text) == number
