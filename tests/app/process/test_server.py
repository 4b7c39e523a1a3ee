"""Whoever was let in before the port closed is answered."""

import asyncio
import errno
import gc
import os
import select
import signal
import socket
from multiprocessing.connection import Connection
from pathlib import Path

import pytest
import uvicorn
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from app.commands.serve import http_options
from app.process import http_protocol
from app.process import server as server_module
from app.process.server import LAG, OPEN, UNDERWAY_SECONDS, AcceptTracker, Config, Server
from tests.edge import PATIENCE, settings_for, within
from tests.processes import HOST, free_port

Shared = tuple[AcceptTracker, AcceptTracker]

ASKED = b"GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
BEGUN, REST = ASKED[:20], ASKED[20:]


async def opened(
    folder: Path, notice: float, accepting: AcceptTracker | None = None, keep_alive_seconds: int = 1
) -> tuple[Server, tuple[str, int]]:
    """A server that listens, on the loop of this test."""
    settings = settings_for(folder, shutdown_notice_seconds=notice, keep_alive_seconds=keep_alive_seconds)
    options = http_options(settings)
    app = Starlette(routes=[Route("/", lambda _: PlainTextResponse("here"))])
    port = free_port()
    server = Server(uvicorn.Config(app, HOST, port, lifespan="off", **options), accepting)
    server.config.load()
    server.lifespan = server.config.lifespan_class(server.config)
    await server.startup()
    return server, (HOST, port)


async def all_of(connection: socket.socket) -> bytes:
    connection.setblocking(False)
    reader, writer = await asyncio.open_connection(sock=connection)
    answer: bytes = await within(reader.read())
    writer.close()
    return answer


@pytest.mark.security("FI-11")
@pytest.mark.parametrize("notice", [0, 2])
async def test_who_has_connected_and_is_not_accepted_yet_is_answered_and_then_nobody_connects(
    tmp_path: Path, notice: float
) -> None:
    server, address = await opened(tmp_path, notice)
    connections = [socket.create_connection(address, PATIENCE) for _ in range(5)]
    for connection in connections:
        connection.sendall(ASKED)  # the loop did not run since, so nobody was accepted

    await within(server.shutdown())

    assert [(await all_of(one)).endswith(b"here") for one in connections] == [True] * 5
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(address, PATIENCE)


@pytest.mark.security("FI-11")
async def test_who_connects_between_the_last_look_at_the_port_and_its_end_is_refused_and_not_reset(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server, address = await opened(tmp_path, 0)
    late, close = socket.socket(), socket.socket.shutdown
    late.setblocking(False)

    def shutdown(port: socket.socket, how: int) -> None:
        if port.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN):
            late.connect_ex(address)
        close(port, how)

    monkeypatch.setattr(socket.socket, "shutdown", shutdown)
    await within(server.shutdown())
    await asyncio.to_thread(select.select, [], [late], [], PATIENCE)

    assert late.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR) == errno.ECONNREFUSED
    late.close()


@pytest.mark.security("FI-11")
async def test_a_request_that_is_still_on_its_way_when_the_port_closes_is_answered(tmp_path: Path) -> None:
    server, address = await opened(tmp_path, 2)
    connection = socket.create_connection(address, PATIENCE)
    connection.sendall(BEGUN)

    ending = asyncio.create_task(server.shutdown())
    ended, _ = await asyncio.wait([ending], timeout=5 * UNDERWAY_SECONDS)
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(address, PATIENCE)
    connection.sendall(REST)

    assert not ended
    assert (await all_of(connection)).endswith(b"here")
    await within(ending)


@pytest.fixture
def shared() -> Shared:
    """One that two processes share: each has ends of its own."""
    mine = AcceptTracker()
    theirs = AcceptTracker.__new__(AcceptTracker)
    theirs._all = Connection(os.dup(mine._all.fileno()), writable=False)
    theirs._own = Connection(os.dup(mine._own.fileno()), readable=False)
    return mine, theirs


def test_the_last_that_accepts_knows_it(shared: Shared) -> None:
    mine, theirs = shared

    mine.stop()
    while_they_stay = mine.is_last()
    theirs.stop()

    assert (while_they_stay, mine.is_last(), theirs.is_last()) == (False, True, True)


@pytest.mark.security("FI-11")
async def test_one_of_several_leaves_who_waits_to_the_others(tmp_path: Path, shared: Shared) -> None:
    server, address = await opened(tmp_path, 0, shared[0])
    with socket.socket(fileno=os.dup(server.servers[0].sockets[0].fileno())) as other:
        with socket.create_connection(address, PATIENCE):
            await within(server.shutdown())

            accepted, _ = other.accept()
            accepted.close()
        socket.create_connection(address, PATIENCE).close()


@pytest.mark.security("FI-11")
async def test_the_last_of_several_takes_in_who_waits_and_closes_the_port(tmp_path: Path, shared: Shared) -> None:
    mine, theirs = shared
    server, address = await opened(tmp_path, 0, mine)
    connection = socket.create_connection(address, PATIENCE)
    connection.sendall(ASKED)
    with socket.socket(fileno=os.dup(server.servers[0].sockets[0].fileno())):
        theirs.stop()

        await within(server.shutdown())

        with pytest.raises(ConnectionRefusedError):
            socket.create_connection(address, PATIENCE)
    assert (await all_of(connection)).endswith(b"here")


@pytest.mark.security("FI-11")
async def test_one_that_goes_alone_answers_what_comes_on_connections_that_were_idle(
    tmp_path: Path, shared: Shared
) -> None:
    server, address = await opened(tmp_path, 0, shared[0])
    reader, writer = await asyncio.open_connection(*address)
    writer.write(ASKED.replace(b"Connection: close\r\n", b""))
    await within(reader.readuntil(b"here"))
    server.handle_exit(signal.SIGHUP, None)

    ending = asyncio.create_task(server.shutdown())
    await asyncio.wait([ending], timeout=4 * UNDERWAY_SECONDS)
    writer.write(ASKED)

    assert (await within(reader.read())).endswith(b"here")
    await within(ending)
    writer.close()


@pytest.mark.security("FI-11")
async def test_an_idle_connection_outlives_the_port_by_a_moment_and_not_by_its_whole_keep_alive(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http_protocol, "LINGER_SECONDS", 0.2)
    server, address = await opened(tmp_path, 2, keep_alive_seconds=3600)
    reader, writer = await asyncio.open_connection(*address)
    writer.write(ASKED.replace(b"Connection: close\r\n", b""))
    await within(reader.readuntil(b"here"))

    await within(server.shutdown())

    assert await within(reader.read()) == b""
    writer.close()


def test_an_idle_connection_is_kept_longer_than_proxies_keep_it(tmp_path: Path) -> None:
    usual, chosen = settings_for(tmp_path), settings_for(tmp_path, keep_alive_seconds=7)

    kept = [uvicorn.Config("app", **http_options(settings)).timeout_keep_alive for settings in (usual, chosen)]

    assert kept == [75, 7]


@pytest.mark.parametrize("has_others", [False, True])
async def test_told_to_go_alone_a_server_without_others_ends_as_by_sigterm(
    tmp_path: Path, shared: Shared, *, has_others: bool
) -> None:
    server, _ = await opened(tmp_path, 0, shared[0] if has_others else None)
    before = signal.getsignal(signal.SIGHUP)

    with server.capture_signals():
        signal.raise_signal(signal.SIGHUP)
        await asyncio.sleep(0)
        told, by = server.should_exit, list(server._captured_signals)
        server._captured_signals.clear()  # uvicorn raises them again, for whoever started it

    assert (told, by) == (True, [signal.SIGHUP if has_others else signal.SIGTERM])
    assert signal.getsignal(signal.SIGHUP) is before
    await within(server.shutdown())


async def test_a_server_is_open_when_its_application_is_or_says_nothing_of_it(tmp_path: Path) -> None:
    server, _ = await opened(tmp_path, 0)
    says_nothing = server.is_open

    server.lifespan.state[OPEN] = False
    waits = server.is_open

    assert (says_nothing, waits) == (True, False)
    await within(server.shutdown())


async def test_a_server_whose_loop_does_not_turn_is_stuck(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    server, _ = await opened(tmp_path, 0)
    before = server.is_stuck
    await server.on_tick(1)
    turned = server.is_stuck

    monkeypatch.setattr(server_module, "STUCK_SECONDS", -1)
    stands = server.is_stuck
    server.should_exit = True

    assert (before, turned, stands, server.is_stuck) == (False, False, True, False)
    await within(server.shutdown())


async def test_a_held_event_loop_is_observed_as_lag(tmp_path: Path) -> None:
    server, _ = await opened(tmp_path, 0)
    lags: list[float] = []
    server.lifespan.state[LAG] = lags.append

    await server.on_tick(1)
    server._turned = (server._turned or 0) - 3
    await server.on_tick(2)

    assert len(lags) == 1
    assert 2 < lags[0] < 60
    await within(server.shutdown())


def test_the_collector_rests_while_the_application_is_made_and_works_when_it_serves() -> None:
    found = []

    def make() -> Starlette:
        found.append(gc.isenabled())
        return Starlette()

    Config(make, factory=True, log_config=None).load()

    assert (found, gc.isenabled()) == ([False], True)
