"""A collector that restarts loses nothing of what was written a moment before, though no write has failed."""

import contextlib
import re
import socket
from collections.abc import Iterator

import pytest

from app.audit.collector import KEPT_SECONDS, MOST_KEPT, Collector


class Server:
    """The collector's side. What it takes is read by the test."""

    def __init__(self) -> None:
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.socket.settimeout(20)

    def accept(self) -> socket.socket:
        accepted, _ = self.socket.accept()
        accepted.settimeout(20)
        return accepted


class Clock:
    now = 1_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def server() -> Iterator[Server]:
    made = Server()
    with made.socket:
        yield made


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def sender(server: Server, clock: Clock) -> Iterator[Collector]:
    host, port = server.socket.getsockname()
    made = Collector(host, port, clock)
    yield made
    made.close()


def taken(connection: socket.socket, text: bytes) -> bytes:
    """What comes, up to `text`."""
    read = b""
    while not read.endswith(text):
        part = connection.recv(65_536)
        assert part, f"closed after {read!r}"
        read += part
    return read


@pytest.mark.parametrize("reads", [True, False])
def test_what_went_to_a_collector_that_has_ended_goes_to_its_successor_too(
    server: Server, sender: Collector, *, reads: bool
) -> None:
    sender.send([b"one"])
    with server.accept() as first:
        if reads:  # otherwise its system answers the rest with a reset
            taken(first, b"one")
    sender.send([b"two"])

    with server.accept() as second:
        assert taken(second, b"two") == b"3 one3 two"


def test_what_an_open_connection_took_long_ago_is_not_sent_again(
    server: Server, sender: Collector, clock: Clock
) -> None:
    sender.send([b"one"])
    with server.accept() as first:
        clock.now += KEPT_SECONDS + 1
        sender.send([b"two"])
        taken(first, b"two")
    sender.send([b"three"])

    with server.accept() as second:
        assert taken(second, b"three") == b"3 two5 three"


def test_an_old_write_after_which_nobody_looked_is_sent_again(server: Server, sender: Collector, clock: Clock) -> None:
    sender.send([b"one"])
    with server.accept() as first:
        taken(first, b"one")
    clock.now += 100 * KEPT_SECONDS
    sender.send([b"two"])

    with server.accept() as second:
        assert taken(second, b"two") == b"3 one3 two"


def test_what_could_not_be_sent_is_not_sent_twice(server: Server, sender: Collector) -> None:
    sender.send([b"one"])
    server.accept().close()
    address = server.socket.getsockname()
    server.socket.close()
    with pytest.raises(ConnectionRefusedError):
        sender.send([b"two"])
    with socket.create_server(address) as again:
        again.settimeout(20)
        sender.send([b"two"])
        with contextlib.closing(again.accept()[0]) as second:
            assert taken(second, b"two") == b"3 one3 two"


def test_at_the_end_a_collector_that_has_gone_is_noticed_once_more(server: Server, sender: Collector) -> None:
    sender.send([b"the end"])
    server.accept().close()
    sender.end()

    with server.accept() as second:
        assert taken(second, b"the end") == b"7 the end"
        assert second.recv(1) == b""


def test_a_collector_that_talks_is_not_taken_for_one_that_has_gone(server: Server, sender: Collector) -> None:
    sender.send([b"one"])
    with server.accept() as first:
        first.sendall(b"hello")
        sender.send([b"two"])

        assert taken(first, b"two") == b"3 one3 two"


def test_a_collector_that_closes_again_and_again_gets_nothing_more_than_twice(
    server: Server, sender: Collector, clock: Clock
) -> None:
    words, came = [b"one", b"two", b"three", b"four", b"five"], list[bytes]()
    for word in words:
        sender.send([word])
        with server.accept() as connection:
            came += re.findall(rb"[a-z]+", taken(connection, word))
        clock.now += 2 * KEPT_SECONDS

    assert all(came.count(word) <= 2 for word in words)
    assert sorted(set(came)) == sorted(words)


def test_what_is_kept_is_bounded(server: Server) -> None:
    sender = Collector(*server.socket.getsockname(), most_kept=10)
    sender.send([b"one"])
    with server.accept() as first:
        sender.send([b"two"])
        sender.send([b"three"])
        taken(first, b"three")
    sender.send([b"four"])

    with server.accept() as second:
        assert re.findall(rb"[a-z]+", taken(second, b"four")) == [b"three", b"four"]
    sender.close()
    assert MOST_KEPT > 1_000_000
