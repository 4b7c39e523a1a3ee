"""The network towards an upstream: HTTP/1.1 over kept connections, behind the interface of httpx2's transports.

httpx2's own costs five times the processor time, aiohttp's twice; pyreqwest's keeps the connections of cancelled calls.
"""

import asyncio
import socket
import ssl
from collections import defaultdict, deque
from collections.abc import AsyncIterator, Callable
from functools import partial
from typing import cast

import httptools
import httpx2
from aiohappyeyeballs import start_connection

from mcp_server.upstream.web import trusted

MAX_HEAD = 64 * 1024  # bytes of the status line and the headers of an answer
MAX_UNREAD = 256 * 1024  # bytes of a body that wait for their reader; beyond them nothing more is received
MOST_AT_ONCE = 16 * 1024  # bytes that are handed on at once: decoded, they may be a thousand times as many
FINAL = 200  # statuses from here on are the answer; those below say that it will come
IDLE_SECONDS = 4.0
"""For a connection to be kept: less than the 5 s of common servers, so that none is used as it is being closed."""

NEXT_ADDRESS_SECONDS = 0.25  # RFC 8305 section 5

SIZED = frozenset({b"content-length", b"transfer-encoding"})
CODED = frozenset({b"content-encoding"})

Origin = tuple[str, str, int]
"""Scheme, host and port."""


class Network(httpx2.AsyncBaseTransport):
    """Has as many connections as there are requests under way; an idle one is kept for `idle` seconds.

    It reads no proxy from the environment, keeps no cookie, and hands a redirect or a coded body over as it is. Number
    and time are its caller's to limit; a cancelled request ends its connection. Servers are believed by `verify`, or
    else by whom this machine trusts.

    Raises `httpx2.ConnectError`: nobody answers there, or not with a good certificate; `httpx2.RemoteProtocolError`:
    the answer is not HTTP, or broke off. Neither tells the address.
    """

    def __init__(self, idle: float = IDLE_SECONDS, verify: ssl.SSLContext | None = None) -> None:
        self._seconds, self._verify = idle, verify
        self._idle: defaultdict[Origin, list[_Connection]] = defaultdict(list)
        self._open: set[_Connection] = set()

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        body, url = await request.aread(), request.url
        port = url.port or (443 if url.scheme == "https" else 80)
        head, origin = _head(request, len(body)), (url.scheme, url.raw_host.decode(), port)
        connection = self._kept(origin) or await self._connected(origin)
        answer = connection.ask(head + body, is_head=request.method == "HEAD")
        try:
            await answer.more()
        except BaseException:
            connection.fail("not waited for")
            raise
        return httpx2.Response(answer.status, headers=answer.headers, stream=answer)

    async def aclose(self) -> None:
        for connection in list(self._open):
            connection.fail("closed")

    def _kept(self, origin: Origin) -> "_Connection | None":
        while kept := self._idle[origin]:
            connection = kept.pop()
            if not connection.transport.is_closing():
                return connection
        return None

    async def _connected(self, origin: Origin) -> "_Connection":
        scheme, host, port = origin
        tls = (self._verify or trusted()) if scheme == "https" else None
        made = partial(_Connection, self._seconds, partial(self._released, origin), self._open)
        loop = asyncio.get_running_loop()
        try:
            addresses = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
            sock = await start_connection(addresses, happy_eyeballs_delay=NEXT_ADDRESS_SECONDS)
            name = None if tls is None else host
            return (await loop.create_connection(made, sock=sock, ssl=tls, server_hostname=name))[1]
        except (OSError, UnicodeError) as fault:
            raise httpx2.ConnectError(type(fault).__name__) from None

    def _released(self, origin: Origin, connection: "_Connection") -> None:
        """An exchange is over."""
        if not connection.transport.is_closing():
            self._idle[origin].append(connection)


class _Answer(httpx2.AsyncByteStream):
    """What has come of an answer, and its body as it comes."""

    def __init__(self, connection: "_Connection", *, is_head: bool) -> None:
        self._connection, self.is_head = connection, is_head
        self.status, self.headers = 0, list[tuple[bytes, bytes]]()
        self.parts, self.unread, self.is_whole = deque[bytes](), 0, False
        self.fault: Exception | None = None
        self._waiting: asyncio.Future[None] | None = None

    def has(self, names: frozenset[bytes]) -> bool:
        return any(name.lower() in names for name, _ in self.headers)

    async def more(self) -> None:
        """Wait for the head, or for more of the body. Raises what went wrong."""
        if not self.is_whole and self.fault is None:
            self._waiting = asyncio.get_running_loop().create_future()
            await self._waiting
        if self.fault is not None:
            raise self.fault

    def tell(self) -> None:
        if self._waiting is not None and not self._waiting.done():
            self._waiting.set_result(None)

    async def __aiter__(self) -> AsyncIterator[bytes]:
        while self.parts or not self.is_whole:
            if not self.parts:
                await self.more()
            while self.parts:
                part = self.parts.popleft()
                self.unread -= len(part)
                for start in range(0, len(part), MOST_AT_ONCE):
                    yield part[start : start + MOST_AT_ONCE]
            self._connection.go_on()

    async def aclose(self) -> None:
        if not self.is_whole and self.fault is None:
            self._connection.fail("not read to its end")


class _Connection(asyncio.Protocol):
    """One connection, and the parser of what comes on it (RFC 9112)."""

    transport: asyncio.Transport

    def __init__(self, idle: float, released: "Callable[[_Connection], None]", every: "set[_Connection]") -> None:
        self._seconds, self._released, self._every = idle, released, every
        self._parser, self._answer = httptools.HttpResponseParser(self), cast("_Answer | None", None)
        self._received, self._is_paused = 0, False
        self._idle: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast("asyncio.Transport", transport)
        self._every.add(self)

    def ask(self, message: bytes, *, is_head: bool) -> _Answer:
        if self._idle is not None:
            self._idle.cancel()
        self._answer, self._received = _Answer(self, is_head=is_head), 0
        self.transport.write(message)
        return self._answer

    def fail(self, reason: str) -> None:
        self.transport.abort()
        self._end(httpx2.RemoteProtocolError(reason))

    def go_on(self) -> None:
        if self._is_paused:
            self._is_paused = False
            self.transport.resume_reading()

    def data_received(self, data: bytes) -> None:
        answer = self._answer
        self._received += len(data)
        try:
            self._parser.feed_data(data)
        except (httptools.HttpParserError, httptools.HttpParserUpgrade) as fault:
            self.fail(type(fault).__name__)
        if answer is not None and not answer.status and self._received > MAX_HEAD:
            self.fail("the head is too large")

    def connection_lost(self, exc: Exception | None) -> None:
        answer = self._answer
        if exc is None and answer is not None and answer.status and not answer.has(SIZED):
            self._end()  # such a body ends with its connection (RFC 9112 section 6.3)
        self.fail("broke off")
        self._every.discard(self)

    def on_message_begin(self) -> None:
        if self._answer is None:
            raise httptools.HttpParserError("nothing was asked")

    def on_header(self, name: bytes, value: bytes) -> None:
        if self._answer is not None and not self._answer.status:  # what follows a body is nobody's
            self._answer.headers.append((name, value))

    def on_headers_complete(self) -> None:
        answer, status = cast("_Answer", self._answer), self._parser.get_status_code()
        if status < FINAL:
            answer.headers.clear()
            return
        answer.status = status
        if answer.is_head:  # the parser waits for the body that a GET would have
            self.transport.abort()
            self._end()
        answer.tell()

    def on_body(self, body: bytes) -> None:
        if (answer := self._answer) is not None:
            answer.parts.append(body)
            answer.unread += len(body)
            if answer.unread > MAX_UNREAD and not self._is_paused:
                self._is_paused = True
                self.transport.pause_reading()
            answer.tell()

    def on_message_complete(self) -> None:
        if self._answer is not None and self._answer.status:
            self.go_on()
            if self.transport.get_write_buffer_size() or not self._parser.should_keep_alive():
                self.transport.abort()
            self._end()

    def _end(self, fault: Exception | None = None) -> None:
        answer, self._answer = self._answer, None
        if answer is not None:
            answer.is_whole, answer.fault = fault is None, fault
            answer.tell()
            self._idle = asyncio.get_running_loop().call_later(self._seconds, self.transport.abort)
            self._released(self)


def whole(response: httpx2.Response) -> bytes | None:
    """The body, where it has come by now and is not coded: faster than reading it part by part."""
    answer = response.stream
    if not isinstance(answer, _Answer) or not answer.is_whole or answer.has(CODED):
        return None
    return b"".join(answer.parts)


def _head(request: httpx2.Request, length: int) -> bytes:
    """The request line and the headers. Raises `httpx2.LocalProtocolError`: one would end before its end."""
    lines = [b"%b %b HTTP/1.1" % (request.method.encode(), request.url.raw_path)]
    for name, value in request.headers.raw:
        is_coding = name.lower() == b"transfer-encoding"  # the body is sent as a whole
        lines.append(b"content-length: %d" % length if is_coding else name + b": " + value)
    head = b"\r\n".join(lines)
    if head.count(b"\n") >= len(lines) or head.count(b"\r") >= len(lines) or b"\0" in head:
        raise httpx2.LocalProtocolError("a header holds the end of a line")
    return head + b"\r\n\r\n"
