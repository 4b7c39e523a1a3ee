"""The process that desktop clients start, and its three streams."""

import asyncio
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import orjson

from tests import launcher
from tests.edge import LEGACY, request, within
from tests.processes import environment

MODULE = ("-m", "mcp_server.stdio")
FRESH = ("-P", *MODULE)
"""In a process that imports all by itself, and whose children are its own."""

BAD_KEY = "minds_" + "0" * 48
HANDSHAKE = {"protocolVersion": LEGACY, "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}


class Stdio:
    """A running process and its three streams."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process
        self.stray: list[bytes] = []

    async def send(self, message: Any) -> None:
        assert self.process.stdin is not None
        line = message if isinstance(message, bytes) else orjson.dumps(message)
        self.process.stdin.write(line + b"\n")
        await self.process.stdin.drain()

    async def ask(self, method: str, params: Mapping[str, Any] | None = None, era: str = LEGACY) -> dict[str, Any]:
        """Send a request, and wait for its answer; every line on the way must be a message."""
        identity = f"{method}-{id(params)}"
        await self.send(request(method, params, era=era, identity=identity)[1])
        while True:
            message = await self.read()
            if message.get("id") == identity:
                return message

    async def read(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        line = await within(self.process.stdout.readline())
        assert line, "the process ended"
        message: dict[str, Any] = orjson.loads(line)
        assert message["jsonrpc"] == "2.0"
        return message

    async def handshake(self) -> dict[str, Any]:
        answer = await self.ask("initialize", HANDSHAKE)
        await self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return answer

    async def end(self) -> tuple[bytes, bytes, int]:
        """Close standard input; what was still written, and the exit code."""
        out, err = await within(self.process.communicate(b""))
        assert self.process.returncode is not None
        return out, err, self.process.returncode


@asynccontextmanager
async def started(folder: Path, *arguments: str, **settings: str) -> AsyncIterator[Stdio]:
    async with spawned(folder, *(arguments or MODULE), **settings) as process:
        yield Stdio(process)


@asynccontextmanager
async def spawned(folder: Path, *arguments: str, **settings: str) -> AsyncIterator[asyncio.subprocess.Process]:
    """`python ARGUMENTS` in `folder`, which is its data directory, until the context ends; a module is forked."""
    command = launcher.command(*arguments[1:]) if arguments[0] == "-m" else (sys.executable, *arguments)
    process = await asyncio.create_subprocess_exec(
        *command,
        cwd=folder,
        env=environment(DATA_DIR=str(folder), **settings),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        limit=1_000_000,
    )
    try:
        yield process
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
