"""Rows on their way out: a stream, and syslog as RFC 5424 has it."""

import io
import re
import socket
import threading
from pathlib import Path

import pytest

from app.audit.streams import StdoutSink, SyslogSink, message, plain_host
from mcp_server.audit.chain import Chain
from mcp_server.audit.entries import Entry, Event
from mcp_server.audit.sinks import SinkFailed
from tests.auditing import KEY, NAME, log_of

RFC5424 = re.compile(
    rb"<(\d{1,3})>1 \d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z \S+ minds-gateway \d+ (\w{1,32}) - (\{.*\})"
)
ROWS = list(log_of(2))


async def test_a_stream_has_a_line_for_each_row_and_fails_as_a_sink_when_it_is_closed() -> None:
    stream = io.BytesIO()

    await StdoutSink(stream).write(ROWS)

    assert stream.getvalue().splitlines() == [row.line for row in ROWS]
    stream.close()
    with pytest.raises(SinkFailed):
        await StdoutSink(stream).write(ROWS)


def test_a_message_is_of_the_form_of_the_rfc_and_holds_the_whole_row() -> None:
    chain = Chain(NAME, KEY)
    for event, outcome, priority in (("signIn", "ok", b"110"), ("authFailure", "refused", b"108")):
        row = chain.add(Entry(Event(event), outcome, reason="a\nb"))
        found = RFC5424.fullmatch(message(row, "host"))

        assert found is not None
        assert found.groups() == (priority, event.encode(), row.line)


def test_a_host_is_one_word() -> None:
    assert plain_host("a b\n\N{LATIN SMALL LETTER E WITH ACUTE}") == "ab"
    assert plain_host("") == "-"


async def test_over_udp_each_row_is_a_datagram() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as server:
        server.bind(("127.0.0.1", 0))
        server.settimeout(20)
        sink = SyslogSink(f"udp://127.0.0.1:{server.getsockname()[1]}", "host")
        await sink.write(ROWS)
        await sink.aclose()

        assert [server.recv(65_536) for _ in ROWS] == [message(row, "host") for row in ROWS]


async def test_over_tcp_the_length_stands_before_each_message() -> None:
    taken: list[bytes] = []
    with socket.create_server(("127.0.0.1", 0)) as server:

        def take() -> None:
            connection, _ = server.accept()
            with connection, connection.makefile("rb") as stream:
                taken.append(stream.read())

        reader = threading.Thread(target=take)
        reader.start()
        sink = SyslogSink(f"tcp://127.0.0.1:{server.getsockname()[1]}", "host")
        await sink.write(ROWS)
        await sink.aclose()
        reader.join(20)

    assert taken == [b"".join(b"%d %s" % (len(message(row, "host")), message(row, "host")) for row in ROWS)]


async def test_a_collector_that_has_closed_the_connection_is_connected_anew() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(20)
        sink = SyslogSink(f"tcp://127.0.0.1:{server.getsockname()[1]}", "host")
        await sink.write(ROWS[:1])
        first, _ = server.accept()
        with first, first.makefile("rb") as stream:
            first.shutdown(socket.SHUT_WR)
            await sink.write(ROWS[1:])
            before = stream.read()
        await sink.aclose()
        successor, _ = server.accept()
        with successor, successor.makefile("rb") as stream:
            after = stream.read()

    assert (ROWS[0].line in before, ROWS[1].line in after) == (True, True)


async def test_nobody_there_is_a_failure_and_the_next_try_connects_anew(tmp_path: Path) -> None:
    sink = SyslogSink(f"unix://{tmp_path / 'log'}", "host")
    with pytest.raises(SinkFailed):
        await sink.write(ROWS)
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as server:
        server.bind(str(tmp_path / "log"))
        server.settimeout(20)
        await sink.write(ROWS[:1])
        await sink.aclose()

        assert server.recv(65_536) == message(ROWS[0], "host")
