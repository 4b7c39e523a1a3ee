"""What strangers write, as it may stand in a log."""

import io

import pytest
import structlog
from hypothesis import given
from hypothesis import strategies as st

from mcp_server.observability import logging
from mcp_server.observability.redaction import LONGEST, sanitize, sanitized


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain, ünï → 🙂", "plain, ünï → 🙂"),
        ("one\r\ntwo", r"one\u000d\u000atwo"),
        ("\x1b[2Jgone", r"\u001b[2Jgone"),
        ("\u202egnp.exe", r"\u202egnp.exe"),
        ("a\u2028b", r"a\u2028b"),
        ("half \ud800", r"half \ud800"),
        ("\U000e0041", r"\U000e0041"),
    ],
)
def test_what_cannot_be_seen_is_written_out(text: str, expected: str) -> None:
    assert sanitized(text) == expected


@given(st.text(st.characters(exclude_categories=())))
def test_anything_becomes_one_line_that_can_be_written(text: str) -> None:
    clean = sanitized(text)

    assert clean.isprintable()
    assert clean.encode().decode() == clean
    assert sanitized(clean) == clean or len(text) > LONGEST


def test_a_text_without_end_has_one_and_says_so() -> None:
    assert sanitized("x" * 1_000_000).endswith("… (1000000 characters)")
    assert len(sanitized("\0" * 1_000_000)) < 7 * LONGEST


def test_it_reaches_everything_but_our_own_traces() -> None:
    event = {"path": "a\nb", "deep": {"k\n": ["x\0", 1]}, "exception": "line\nline", "ms": 1.5}

    assert sanitize(None, "", event) == {
        "path": r"a\u000ab", "deep": {r"k\u000a": [r"x\u0000", 1]}, "exception": "line\nline", "ms": 1.5,
    }  # fmt: skip


@pytest.mark.parametrize("debug", [True, False])
def test_a_line_end_of_a_stranger_makes_no_line_in_the_log(debug: bool) -> None:
    stream = io.StringIO()
    before = structlog.get_config()
    try:
        logging.configure(debug=debug, stream=stream)
        structlog.get_logger().info("request", path="/a\n{}\r\n\u202efake")
    finally:
        structlog.configure(**before)

    assert len(stream.getvalue().splitlines()) == 1
