"""A real process that is asked for more than it has: connections, file descriptors, time."""

import asyncio
import http.client
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, closing
from pathlib import Path

import psutil
import pytest

from tests.processes import HOST, free_port, serving

LIMITED = """
import resource, runpy, sys
limit = int(sys.argv.pop(1))
resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))
sys.argv[0] = "app"
runpy.run_module("app", run_name="__main__")
"""
MEMORY = 256 * 1024 * 1024
PLAIN = b"GET /livez HTTP/1.1\r\nHost: x\r\n\r\n"


@asynccontextmanager
async def connections(port: int, many: int, say: bytes = b"") -> AsyncIterator[list[asyncio.StreamReader]]:
    """So many connections that say so much and then nothing."""
    opened = [await asyncio.open_connection(HOST, port) for _ in range(many)]
    try:
        for _, writer in opened:
            writer.write(say)
        yield [reader for reader, _ in opened]
    finally:
        for _, writer in opened:
            writer.close()


def healthy(port: int) -> bool:
    with closing(http.client.HTTPConnection(HOST, port, timeout=20)) as connection:
        connection.request("GET", "/mcp")
        return connection.getresponse().status == 200


async def status(reader: asyncio.StreamReader) -> int | None:
    """The status of the next answer; None when the connection ends without one."""
    try:
        async with asyncio.timeout(30):
            line = await reader.readline()
    except ConnectionError:
        return None
    return int(line.split()[1]) if line else None


@pytest.fixture(scope="module")
def narrow(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[int, psutil.Process]]:
    """A gateway that may have 256 files open, and so half of that in connections."""
    port, folder = free_port(), tmp_path_factory.mktemp("narrow")
    arguments = ["-c", LIMITED, "256", "serve", "--port", str(port)]
    settings = {"DATA_DIR": str(folder), "BODY_SECONDS": "2", "RATE_LIMIT_ENABLED": "false"}
    with serving(arguments, port, folder, settings) as process:
        yield port, psutil.Process(process.pid)


@pytest.mark.security("RE-04")
async def test_idle_connections_beyond_the_cap_give_way_and_health_stays_green(
    narrow: tuple[int, psutil.Process],
) -> None:
    port, process = narrow

    async with connections(port, 400, PLAIN) as idle:
        answers = [await status(reader) for reader in idle]
        held = len(process.net_connections("tcp"))
        files, memory = process.num_fds(), process.memory_info().rss
        green = await asyncio.to_thread(healthy, port)

    assert green
    assert held <= 128 + 2  # and the socket that listens, and a connection that is being taken leave of
    assert files < 256
    assert memory < MEMORY
    assert answers.count(200) >= 128


@pytest.mark.security("FI-27")
async def test_with_few_descriptors_what_is_too_much_is_refused_and_it_recovers(
    narrow: tuple[int, psutil.Process],
) -> None:
    port, process = narrow
    busy = b"POST /oauth/token HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nContent-Length: 10\r\n\r\na" % port

    async with connections(port, 300, busy) as asking:
        answers = [await status(reader) for reader in asking]
        files, memory = process.num_fds(), process.memory_info().rss

    assert set(answers) <= {408, 503, None}
    assert answers.count(503) + answers.count(None) >= 300 - 128
    assert answers.count(408) >= 100
    assert files < 256
    assert memory < MEMORY
    assert await asyncio.to_thread(healthy, port)


@pytest.mark.security("RE-02")
async def test_bodies_that_drip_end_and_others_are_served_meanwhile(tmp_path: Path) -> None:
    port = free_port()
    head = (
        b"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{"
        % port
    )
    settings = {
        "DATA_DIR": str(tmp_path),
        "BODY_SECONDS": "3",
        "MAX_CALLS_AT_ONCE": "1000",
        "RATE_LIMIT_ENABLED": "false",
    }
    with serving(["-m", "app", "serve", "--port", str(port)], port, tmp_path, settings):
        async with connections(port, 500, head) as dripping:
            green = [await asyncio.to_thread(healthy, port) for _ in range(5)]
            answers = [await status(reader) for reader in dripping]

    assert green == [True] * 5
    assert set(answers) == {408}


@pytest.mark.security("RE-02")
async def test_a_body_that_nobody_reads_may_not_drip_for_ever_either(narrow: tuple[int, psutil.Process]) -> None:
    port, _ = narrow
    reader, writer = await asyncio.open_connection(HOST, port)
    head = (
        b"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nAuthorization: Bearer x\r\nContent-Length: 99999\r\n\r\n" % port
    )

    async def drip() -> None:
        while not writer.is_closing():
            writer.write(b" ")
            await asyncio.sleep(0.2)

    writer.write(head)
    dripping = asyncio.create_task(drip())
    async with asyncio.timeout(60):
        answer = await reader.read()
    dripping.cancel()
    writer.close()

    assert answer.startswith(b"HTTP/1.1 401")
