"""Each reader takes its own kind, and nothing breaks it."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_server.errors import ServiceUnavailable
from mcp_server.toolkit import json_coercion as reading
from tests.mcp_server.toolsets.personas.test_answers import anything


@given(st.text(max_size=400), st.integers(min_value=1, max_value=50))
def test_text_is_one_printable_line_of_limited_length(value: str, longest: int) -> None:
    line = reading.text({"key": value}, "key", longest)

    if line is not None:
        assert 1 <= len(line) <= longest
        assert line.splitlines() == [line]
        assert "\x1b" not in line


@pytest.mark.parametrize(
    ("value", "whole", "number", "flag", "word"),
    [
        (3, 3, 3.0, None, None),
        (2.5, None, 2.5, None, None),
        (True, None, None, True, None),
        ("idle", None, None, None, "idle"),
        ("two words", None, None, None, None),
        (None, None, None, None, None),
    ],
)
def test_each_reader_takes_its_own_kind_only(
    value: Any, whole: int | None, number: float | None, flag: bool | None, word: str | None
) -> None:
    data = {"key": value}

    assert reading.whole(data, "key") == whole
    assert reading.number(data, "key") == number
    assert reading.flag(data, "key") is flag
    assert reading.word(data, "key") == word
    assert reading.items(data, "key") == ()


@given(st.dictionaries(st.sampled_from(["key", "other"]), anything))
def test_no_value_breaks_a_reader(data: dict[str, Any]) -> None:
    reading.text(data, "key")
    reading.prose(data, "key", 100)
    reading.items(data, "key")
    reading.mapping(data.get("key"))


@given(st.text(max_size=400), st.integers(min_value=1, max_value=50))
def test_prose_keeps_its_lines_and_its_limit(value: str, longest: int) -> None:
    found = reading.prose({"key": value}, "key", longest)

    if found is not None:
        assert 1 <= len(found) <= longest
        assert not set(found) & set("\x00\x07\x1b\r")


def test_prose_has_lines_and_a_long_text_shows_its_cut() -> None:
    assert reading.text({"key": "x" * 30}, "key", 10) == "x" * 9 + "\u2026"
    assert reading.prose({"key": "one\r\ntwo\tthree"}, "key", 100) == "one\ntwo\tthree"


def test_what_is_missing_is_the_internal_apis_fault() -> None:
    assert isinstance(reading.unreadable("a list"), ServiceUnavailable)
