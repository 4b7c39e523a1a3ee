"""Mintlify's assistant on loopback, byte for byte as it is documented; and the toolset in front of it."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

import orjson

from mcp_server.caller import ANONYMOUS, Caller
from mcp_server.minds_api.credentials import OwnKey
from mcp_server.runtime import Runtime
from mcp_server.toolkit.shared_lists import SharedLists
from mcp_server.toolset import configured_toolsets
from mcp_server.toolsets.assistant.models import AssistantAnswer
from mcp_server.toolsets.assistant.service import Assistant
from tests.support import API_URL, FakeFiles, settings, signed_in

THREAD = "01KES7GWVAX9S3QD2EXJGWSVPM"
HEAD = f"HTTP/1.1 200 OK\r\nContent-Type: text/plain; charset=utf-8\r\nX-Thread-Id: {THREAD}\r\n"
PAGES = b'a:{"toolCallId":"toolu_xyz","result":{"type":"search","results":["' + "Seite ✓ ".encode() * 10_000 + b'"]}}\n'
"""A tool result of 100 kB."""

EXAMPLE = (
    b'f:{"messageId":"msg-abc123"}\n'
    b'9:{"toolCallId":"toolu_xyz","toolName":"search","args":{"query":"what is agent"}}\n'
    + PAGES
    + b'0:"An"\n0:" Agent"\n0:" is"\n0:" an"\n0:" AI"\n0:" program"\n0:"."\n'
    b'e:{"finishReason":"stop","usage":{"promptTokens":15000,"completionTokens":200}}\n'
    b'd:{"finishReason":"stop"}\n'
)
SENTENCE = "An Agent is an AI program."

Script = bytes | Callable[[asyncio.StreamWriter], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Asked:
    """One request: its line, its headers by their small names, and its JSON."""

    line: str
    headers: Mapping[str, str]
    body: Any


@dataclass
class AssistantServer:
    """Gives the answers one after the other; the last one stays."""

    answers: Sequence[Script]
    url: str = ""
    asked: list[Asked] = field(default_factory=list)

    async def talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        async with closing(writer):
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
            line, *lines = head.strip().split("\r\n")
            headers = {name.lower(): value for name, _, value in (each.partition(": ") for each in lines)}
            body = await reader.readexactly(int(headers["content-length"]))
            answer = self.answers[min(len(self.asked), len(self.answers) - 1)]
            self.asked.append(Asked(line, headers, orjson.loads(body)))
            if isinstance(answer, bytes):
                writer.write(answer)
                await writer.drain()
            else:
                await answer(writer)


@asynccontextmanager
async def closing(writer: asyncio.StreamWriter) -> AsyncIterator[None]:
    """A client may hang up at any moment."""
    with suppress(ConnectionError, asyncio.IncompleteReadError):
        try:
            yield
        finally:
            writer.transport.abort()
            await writer.wait_closed()


def streamed(*parts: bytes) -> Script:
    """200 with each part as a chunk (RFC 9112 section 7.1) that is sent before the next one is written."""

    async def answer(writer: asyncio.StreamWriter) -> None:
        writer.write(HEAD.encode() + b"Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n")
        for part in parts:
            writer.write(b"%x\r\n%b\r\n" % (len(part), part))
            await writer.drain()
            await asyncio.sleep(0)
        writer.write(b"0\r\n\r\n")
        await writer.drain()

    return answer


def endless(part: bytes, *, then: bytes = b"") -> Script:
    """200 with `part`, and then either silence or `then` for ever."""

    async def answer(writer: asyncio.StreamWriter) -> None:
        writer.write(HEAD.encode() + b"Connection: close\r\n\r\n" + part)
        while then:
            writer.write(then)
            await writer.drain()
            await asyncio.sleep(0)  # to drain is no pause while there is room
        await asyncio.Event().wait()

    return answer


def refused(status: str, *headers: str) -> bytes:
    lines = [f"HTTP/1.1 {status}", "Content-Length: 8", "Connection: close", *headers]
    return "\r\n".join(lines).encode() + b"\r\n\r\nsecret-x"


@asynccontextmanager
async def serving(*answers: Script) -> AsyncIterator[AssistantServer]:
    server, talks = AssistantServer(answers or (streamed(EXAMPLE),)), set[asyncio.Task[None]]()
    loop = asyncio.get_running_loop()
    listening = await asyncio.start_server(lambda r, w: talks.add(loop.create_task(server.talk(r, w))), "127.0.0.1", 0)
    server.url = f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}"
    try:
        yield server
    finally:
        listening.close()
        for talk in talks:
            talk.cancel()
        await asyncio.gather(*talks, return_exceptions=True)


@dataclass
class Asking:
    """The toolset's service, and what it told of its progress."""

    assistant: Assistant
    runtime: Runtime
    told: list[float] = field(default_factory=list)

    async def ask(
        self, question: str = "what is an agent?", project: str | None = None, caller: Caller = ANONYMOUS
    ) -> AssistantAnswer:
        async def report(done: float, _total: float | None = None, _message: str | None = None) -> None:
            self.told.append(done)

        with signed_in(caller):
            return await self.assistant.ask(question, project, report)


@asynccontextmanager
async def asking(
    server: AssistantServer, *, site_url: str = "", lists: SharedLists | None = None, **given: Any
) -> AsyncIterator[Asking]:
    """The service, of one project unless `given` says otherwise; without `site_url` as on stdio."""
    given = {"assistant_project": "agno-v2", "assistant_base_url": server.url, **given}
    values = {name: given.pop(name) for name in list(given) if not name.startswith("assistant_")}
    toolsets, own = configured_toolsets(settings(toolsets="assistant"), None, **given)
    more: dict[str, Any] = {"credentials": OwnKey(), "files": FakeFiles(), "toolset_settings": own, "lists": lists}
    runtime = Runtime(settings(**values), toolsets, api_url=API_URL, site_url=site_url, **more)
    async with runtime:
        yield Asking(runtime.services[Assistant], runtime)
