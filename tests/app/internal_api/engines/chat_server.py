"""A chat endpoint on a real loopback socket that sends exactly the bytes it is told to."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from app.internal_api.engines.settings import EngineSettings

KEY = "sk-very-secret-0123456789"
Reply = Callable[[asyncio.StreamWriter], Awaitable[None]]


@dataclass
class ChatServer:
    """What it was asked, and where it listens."""

    url: str = ""
    bodies: list[dict[str, Any]] = field(default_factory=list)
    heads: list[str] = field(default_factory=list)

    def settings(self, **changes: Any) -> EngineSettings:
        """Settings that lead here."""
        given = {"llm_base_url": self.url, "llm_api_key": KEY, "llm_model": "test-model", "llm_timeout": 20, **changes}
        return EngineSettings(_env_file=None, **given)


@asynccontextmanager
async def chat_server(*replies: Reply) -> AsyncIterator[ChatServer]:
    """Serve one reply for each request in turn, the last one again and again."""
    server = ChatServer()

    async def converse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        length = next(int(line[15:]) for line in head.splitlines() if line.lower().startswith("content-length:"))
        server.heads.append(head)
        server.bodies.append(json.loads(await reader.readexactly(length)))
        try:
            await replies[min(len(server.bodies), len(replies)) - 1](writer)
        except ConnectionError:
            pass  # the caller has heard enough
        finally:
            writer.close()

    listener = await asyncio.start_server(converse, "127.0.0.1", 0)
    host, port = listener.sockets[0].getsockname()
    server.url = f"http://{host}:{port}/v1"
    try:
        yield server
    finally:
        listener.close()


def completion(content: object) -> bytes:
    """The body of a chat completion."""
    message = {"role": "assistant", "content": content}
    choices, usage = [{"index": 0, "message": message, "finish_reason": "stop"}], {"total_tokens": 100}
    return json.dumps({"choices": choices, "usage": usage}).encode()


def sends(*pieces: bytes, status: str = "200 OK", headers: str = "") -> Reply:
    """A reply that ends when the connection does, written piece by piece."""

    async def reply(writer: asyncio.StreamWriter) -> None:
        head = f"HTTP/1.1 {status}\r\nContent-Type: application/json\r\nConnection: close\r\n{headers}\r\n"
        writer.write(head.encode())
        for piece in pieces:
            writer.write(piece)
            await writer.drain()

    return reply


def says(text: str) -> Reply:
    """A well-behaved answer."""
    return sends(completion(text))


def refuses(status: str, headers: str = "") -> Reply:
    """An error whose body tells more than a caller may see."""
    return sends(
        json.dumps({"error": {"message": f"internal detail, key {KEY}"}}).encode(), status=status, headers=headers
    )
