"""HTTP/1.1 as it comes off the wire, read more strictly than uvicorn does on its own.

uvicorn with httptools refuses most ambiguous framing by itself. It also takes heads of any size, requests with two
Host headers or none, a target that names another host than the Host header, and any number of connections; and it waits
for ever: for a head or a body that does not end, and for a client that does not read.
"""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

from app.http.headers import always
from app.process.connection_limit import ConnectionRegistry
from app.process.shutdown import LINGER_SECONDS

MAX_HEAD = 64 * 1024  # bytes of request line and headers: eight times the longest credential

MAX_HEADERS = 128  # lines of headers. Browsers behind two proxies send forty.

HEAD_SECONDS = 10.0
"""From the connection, or from the first byte of a request, to the end of its head."""

WRITE_SECONDS = 30.0  # for a client to read something when the buffers towards it are full

SLOWEST_BODY = 16 * 1024
"""Bytes a second. Half of what `BodyMiddleware` asks for, so that its 408 is heard before the connection ends."""


def raw_response(status: bytes, reason: bytes, *, https: bool) -> bytes:
    """The answer to what is refused before any application sees it: bad framing, and too many connections."""
    lines = [
        b"content-type: text/plain; charset=utf-8",
        b"content-length: %d" % len(reason),
        b"connection: close",
        *(f"{name}: {value}".encode() for name, value in always(https=https).items()),
        *([b"retry-after: 1"] if status.startswith(b"503") else []),
    ]
    return b"HTTP/1.1 %s\r\n%s\r\n\r\n%s" % (status, b"\r\n".join(lines), reason)


class Violation(Exception):
    """The head breaks a rule. The parser passes it on as its own error, and the client gets a 400 and the end."""


class StrictHttp(HttpToolsProtocol):
    """uvicorn's protocol with bounds. uvicorn makes one for each connection.

    `connections` is shared by the whole process; `body_seconds` is the least that any body is given; `lingers` says
    whether idle connections outlive the port.
    """

    def __init__(
        self,
        *args: Any,
        connections: ConnectionRegistry,
        body_seconds: float,
        https: bool = False,
        lingers: bool = False,
        **more: Any,
    ) -> None:
        super().__init__(*args, **more)
        self._lingers = lingers
        self._connections, self._https = connections, https
        self._body_seconds = body_seconds + HEAD_SECONDS
        self._is_in_head, self._received = False, 0
        self._read_timer: asyncio.TimerHandle | None = None
        self._write_timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn's own
        super().connection_made(transport)
        if not self._connections.admit(self.transport):
            transport.write(raw_response(b"503 Service Unavailable", b"Too many connections.", https=self._https))
            transport.close()
            return
        self._expect(HEAD_SECONDS, self.transport.close, is_head=True)

    def connection_lost(self, exc: Exception | None) -> None:
        self._connections.remove(self.transport)
        for timer in (self._read_timer, self._write_timer):
            if timer is not None:
                timer.cancel()
        super().connection_lost(exc)

    def shutdown(self) -> None:
        """End with the answer that is given; where nothing is asked, a moment later.

        Whoever keeps an idle connection may be sending a request on it now, and gives it up sooner than that by itself.
        """
        cycle: RequestResponseCycle | None = self.cycle
        self.timeout_keep_alive = min(self.timeout_keep_alive, LINGER_SECONDS)
        if not self._lingers or (cycle is not None and not cycle.response_complete):
            super().shutdown()
        elif cycle is not None or self.timeout_keep_alive_task is None:
            self._unset_keepalive_if_required()
            self.timeout_keep_alive_task = self.loop.call_later(self.timeout_keep_alive, self.transport.close)

    def data_received(self, data: bytes) -> None:
        if self.transport.is_closing():
            return  # what came with or after what was refused is not looked at
        super().data_received(data)
        self._received += len(data)
        if self._is_in_head and self._received > MAX_HEAD and not self.transport.is_closing():
            self.send_400_response("The headers are too large.")

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._expect(HEAD_SECONDS, self.transport.close, is_head=True)

    def on_header(self, name: bytes, value: bytes) -> None:
        super().on_header(name, value.strip(b" \t"))  # white space is no part of the value (RFC 9110 section 5.5)

    def on_headers_complete(self) -> None:
        self._is_in_head = False
        check_head(self.url, self.headers, self.parser.get_http_version())
        self._connections.busy(self.transport)
        self._expect(self._body_seconds, self._look_at_body, is_head=False)
        super().on_headers_complete()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if self.cycle is None or self.cycle.response_complete:
            self._connections.idle(self.transport)

    def send_400_response(self, msg: str) -> None:
        """Say why, unless that would land in the middle of an answer to an earlier request."""
        if self.cycle is None or not self.cycle.response_started or self.cycle.response_complete:
            self.transport.write(raw_response(b"400 Bad Request", msg.encode(), https=self._https))
        self.transport.close()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._write_timer = self.loop.call_later(WRITE_SECONDS, self.transport.abort)

    def resume_writing(self) -> None:
        super().resume_writing()
        if self._write_timer is not None:
            self._write_timer.cancel()

    def _expect(self, seconds: float, late: Callable[[], None], *, is_head: bool) -> None:
        """Call `late` unless the next part of a request is there by then: its head, or its body."""
        if self._read_timer is not None:
            self._read_timer.cancel()
        self._is_in_head, self._received = is_head, 0
        self._read_timer = self.loop.call_later(seconds, late)

    def _look_at_body(self) -> None:
        """End a body that drips, also where nobody reads it: after a 401, all of it is still waited for."""
        cycle: RequestResponseCycle | None = self.cycle
        if cycle is None or not cycle.more_body:
            return
        is_ours = self.flow.read_paused  # the route has not taken what is here yet
        if not is_ours and self._received < SLOWEST_BODY * self._body_seconds:
            self.transport.close()
        else:
            self._expect(self._body_seconds, self._look_at_body, is_head=False)


def check_head(target: bytes, headers: Sequence[tuple[bytes, bytes]], version: str) -> None:
    """Refuse a head that two readers could take for two different requests (RFC 9112 sections 3.2 and 6.1).

    Raises `Violation`: it is too large, or its Host, target or framing is not plain.
    """
    size = len(target) + sum(len(name) + len(value) for name, value in headers)
    if size > MAX_HEAD or len(headers) > MAX_HEADERS:
        raise Violation
    hosts = [value for name, value in headers if name == b"host"]
    if len(hosts) > 1 or (not hosts and version != "1.0"):
        raise Violation
    if not target.startswith((b"/", b"*")) and not _names_host(target, hosts):
        raise Violation
    codings = [value.lower() for name, value in headers if name == b"transfer-encoding"]
    if codings not in ([], [b"chunked"]):
        raise Violation


def _names_host(target: bytes, hosts: Sequence[bytes]) -> bool:
    authority = target.partition(b"://")[2].partition(b"/")[0]
    return [authority.lower()] == [host.lower() for host in hosts]
