"""The gateway on a real socket, and a client of which every byte is a test's own."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass

import orjson
import pytest

from tests.edge import PATIENCE, Stage, free_socket, listening, running, settings_for

PING = orjson.dumps({"jsonrpc": "2.0", "id": 1, "method": "ping"})


@dataclass
class Wire:
    """A server on a real port."""

    port: int
    stage: Stage

    @property
    def host(self) -> str:
        return f"127.0.0.1:{self.port}"

    def post(self, *headers: str, body: bytes = PING, target: str = "/mcp", host: str | None = None) -> bytes:
        """A POST that is right but for what is asked for; an empty `host` leaves the header out."""
        named = self.host if host is None else host
        lines = [f"POST {target} HTTP/1.1", *([f"Host: {named}"] if named else [])]
        lines += ["Content-Type: application/json", "Connection: close", *headers]
        if not any(":" in line and line.lower().startswith(("content-length", "transfer-encoding")) for line in lines):
            lines.append(f"Content-Length: {len(body)}")
        return "\r\n".join(lines).encode() + b"\r\n\r\n" + body

    async def exchange(self, data: bytes) -> bytes:
        """Send `data`, and read until the server ends the connection."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        answer = b""
        try:
            writer.write(data)
            async with asyncio.timeout(PATIENCE):
                while part := await reader.read(65_536):
                    answer += part
        except ConnectionError:
            pass  # refused while we were still sending: what came before it counts
        finally:
            writer.close()
        return answer


@pytest.fixture(scope="module")
async def server(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Wire]:
    """One gateway on a socket for all tests of a module."""
    sock = free_socket()
    port = sock.getsockname()[1]
    settings = settings_for(tmp_path_factory.mktemp("wire"), port=port, site_url=f"http://127.0.0.1:{port}")
    async with running(settings) as edge, listening(edge.app, settings, sock):
        yield Wire(port, edge.stage)


def call(tool: str, **arguments: str) -> bytes:
    params = {"name": tool, "arguments": arguments}
    return orjson.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})


def statuses(answer: bytes) -> list[bytes]:
    """The status of each response in `answer`."""
    return [part[:3] for part in answer.split(b"HTTP/1.1 ")[1:]]
