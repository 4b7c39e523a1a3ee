"""What a process writes about itself: one line an event, for machines, without secrets, and never an exception."""

import io
import logging as standard
from collections.abc import Iterator
from typing import Any

import orjson
import pytest
import structlog

from mcp_server.observability import logging
from mcp_server.observability.tracing import current_request

KEY = "minds_" + "0123456789abcdef" * 3


@pytest.fixture
def restored() -> Iterator[None]:
    yield
    structlog.reset_defaults()


@pytest.fixture
def stream(restored: None) -> io.StringIO:
    stream = io.StringIO()
    logging.configure(stream=stream)
    return stream


def lines(stream: io.StringIO) -> list[dict[str, Any]]:
    return [orjson.loads(line) for line in stream.getvalue().splitlines()]


def test_an_event_is_one_line_of_json_with_time_and_level(stream: io.StringIO) -> None:
    structlog.get_logger("x").info("started", port=8000, note="two\nlines")

    (line,) = lines(stream)
    assert (line["event"], line["level"], line["port"], line["note"]) == ("started", "info", 8000, r"two\u000alines")
    assert line["timestamp"].endswith("Z")


def test_libraries_that_log_in_the_standard_way_are_written_alike(stream: io.StringIO) -> None:
    standard.getLogger("library").warning("Invalid HTTP request from %s with %s", "1.2.3.4", KEY)
    standard.getLogger("chatty").info("not worth a line")

    (line,) = lines(stream)
    assert line["level"] == "warning"
    assert line["event"] == "Invalid HTTP request from 1.2.3.4 with [redacted]"


@pytest.mark.security("AK-07")
def test_a_secret_in_a_trace_is_taken_out_after_the_trace_was_written(stream: io.StringIO) -> None:
    try:
        int(KEY)
    except ValueError:
        structlog.get_logger("x").exception("failed")
        standard.getLogger("y").exception("failed too")

    assert KEY not in stream.getvalue()
    assert ["ValueError: invalid literal" in line["exception"] for line in lines(stream)] == [True, True]


@pytest.mark.parametrize("value", [2**70, "\ud800", {1: "a"}, {"a": {2**70}}, object(), b"\xff", float("nan")])
def test_no_value_costs_the_line(stream: io.StringIO, value: object) -> None:
    structlog.get_logger("x").info("odd", value=value)

    assert [line["event"] for line in lines(stream)] == ["odd"]


def test_the_id_of_the_request_stands_in_every_line_of_it(stream: io.StringIO) -> None:
    token = current_request.set("r1")
    structlog.get_logger("x").info("one")
    standard.getLogger("y").warning("two")
    current_request.reset(token)

    assert [line["request_id"] for line in lines(stream)] == ["r1", "r1"]


def test_details_are_for_debugging_and_then_they_are_readable(restored: None) -> None:
    stream = io.StringIO()
    logging.configure(debug=True, stream=stream)

    structlog.get_logger("x").debug("detail", key=KEY)

    assert "detail" in stream.getvalue()
    assert not stream.getvalue().startswith("{")
    assert KEY not in stream.getvalue()


class Terminal(io.StringIO):
    """Where somebody reads along."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("stream", "words", "is_json"),
    [
        (io.StringIO(), {}, True),
        (io.StringIO(), {"form": "console"}, False),
        (io.StringIO(), {"debug": True}, False),
        (io.StringIO(), {"debug": True, "form": "json"}, True),
        (Terminal(), {}, False),
        (Terminal(), {"form": "json"}, True),
    ],
)
def test_people_read_lines_on_a_terminal_and_machines_json_elsewhere(
    restored: None, stream: io.StringIO, words: dict[str, Any], is_json: bool
) -> None:
    logging.configure(stream=stream, **words)

    structlog.get_logger("x").info("started", key=KEY)
    standard.getLogger("y").warning("warned of %s", KEY)

    written = stream.getvalue()
    assert [line.startswith("{") for line in written.splitlines()] == [is_json] * 2
    assert "started" in written
    assert KEY not in written


def test_nothing_goes_to_standard_output(restored: None, capsys: pytest.CaptureFixture[str]) -> None:
    logging.configure()

    structlog.get_logger("x").info("started")
    standard.getLogger("y").error("failed")

    assert capsys.readouterr().out == ""
