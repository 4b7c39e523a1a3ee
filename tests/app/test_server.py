"""Whoever was let in before the port closed is answered."""

import asyncio
import gc
import socket
from pathlib import Path

import pytest
import uvicorn
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from app.commands.serve import http_options
from app.server import UNDERWAY_SECONDS, Config, Server
from tests.edge import PATIENCE, settings_for, within
from tests.processes import HOST, free_port

ASKED = b"GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
BEGUN, REST = ASKED[:20], ASKED[20:]


async def opened(folder: Path, notice: float) -> tuple[Server, tuple[str, int]]:
    """A server that listens, on the loop of this test."""
    options = http_options(settings_for(folder, shutdown_notice_seconds=notice))
    app = Starlette(routes=[Route("/", lambda _: PlainTextResponse("here"))])
    port = free_port()
    server = Server(uvicorn.Config(app, HOST, port, lifespan="off", **options))
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


def test_the_collector_rests_while_the_application_is_made_and_works_when_it_serves() -> None:
    found = []

    def make() -> Starlette:
        found.append(gc.isenabled())
        return Starlette()

    Config(make, factory=True, log_config=None).load()

    assert (found, gc.isenabled()) == ([False], True)
