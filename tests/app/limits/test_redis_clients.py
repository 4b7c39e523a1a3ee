"""The ways to Redis: one server, TLS, a primary behind sentinels, a cluster."""

import asyncio
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from redis.exceptions import RedisError

from app.limits.redis_clients import open_connection
from app.limits.redis_url import redis_address
from mcp_server.limits.decisions import Rule, StoreDown
from tests.loopback import certificate
from tests.redis import Server, cluster, sentinel, windows_at

TWO = (Rule("all", 5, 60), Rule("tool", 3, 60))


async def let_in(url: str) -> int:
    """How many of twenty attempts pass, after the way has been opened."""
    windows = windows_at(url)
    for _ in range(100):
        try:
            await windows.probe(2)
            break
        except StoreDown:
            await asyncio.sleep(0.1)
    charges = await asyncio.gather(*(windows.hit("ada", TWO) for _ in range(20)))
    await windows.close()
    return sum(charge.allowed for charge in charges)


@asynccontextmanager
async def tls_in_front(server: Server, tls: ssl.SSLContext) -> AsyncIterator[int]:
    """The port at which `server` is reached over TLS."""

    talks: set[asyncio.Task[None]] = set()

    async def pass_on(source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
        while data := await source.read(65_536):
            sink.write(data)
        sink.close()

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        back, forth = await asyncio.open_connection("127.0.0.1", server.port)
        await asyncio.gather(pass_on(reader, forth), pass_on(back, writer), return_exceptions=True)
        for end in (forth, writer):
            end.close()
            await asyncio.gather(end.wait_closed(), return_exceptions=True)

    def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        talks.add(asyncio.create_task(talk(reader, writer)))

    async with await asyncio.start_server(connected, "127.0.0.1", 0, ssl=tls) as listening:
        yield listening.sockets[0].getsockname()[1]
        await asyncio.gather(*talks, return_exceptions=True)


async def test_one_server_answers_a_batch_in_order_and_refusals_are_answers(shared: Server) -> None:
    connection = open_connection(redis_address(shared.url))

    replies = await connection.run([("ECHO", "a"), ("NO-SUCH-COMMAND",), ("ECHO", "b")])

    await connection.close()
    assert [replies[0], replies[2]] == [b"a", b"b"]
    assert isinstance(replies[1], RedisError)


async def test_a_server_behind_tls_is_believed_by_its_certificate_only(shared: Server, tmp_path: Path) -> None:
    tls, _ = certificate("localhost", tmp_path)
    pem = tmp_path / "both.pem"

    async with tls_in_front(shared, tls) as port:
        known = open_connection(redis_address(f"rediss://localhost:{port}/0?ssl_ca_certs={pem}"))
        replies = await known.run([("ECHO", "a")])
        stranger = open_connection(redis_address(f"rediss://localhost:{port}/0"))
        with pytest.raises((RedisError, OSError)):
            await stranger.run([("ECHO", "a")])
        await known.close()
        await stranger.close()

    assert replies == [b"a"]


async def test_the_primary_is_found_through_a_sentinel(own: Server, tmp_path: Path) -> None:
    with sentinel(own, "primary", tmp_path) as port:
        passed = await let_in(f"redis+sentinel://127.0.0.1:{port}/primary/0")

    assert passed == 3


async def test_all_windows_of_a_call_are_in_one_slot_of_a_cluster() -> None:
    async with cluster() as url:
        passed = await let_in(url)

    assert passed == 3
