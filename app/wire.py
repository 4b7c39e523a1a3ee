"""HTTP/1.1 as it comes off the wire, read more strictly than uvicorn does on its own.

uvicorn with httptools refuses most ambiguous framing by itself. It also takes heads of any size, requests with two
Host headers or none, a target that names another host than the Host header, and waits for ever: for a head that does
not end, and for a client that does not read.
"""

import asyncio
from collections.abc import Sequence
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

MAX_HEAD = 64 * 1024
"""Bytes of request line and headers: eight times the longest credential."""

HEAD_SECONDS = 10.0
"""From the connection, or from the first byte of a request, to the end of its head."""

WRITE_SECONDS = 30.0
"""For a client to read something when the buffers towards it are full."""


class Violation(Exception):
    """The head breaks a rule. The parser passes it on as its own error, and the client gets a 400 and the end."""


class StrictHttp(HttpToolsProtocol):
    """uvicorn's protocol with bounds. uvicorn makes one for each connection."""

    def __init__(self, *args: Any, **settings: Any) -> None:
        super().__init__(*args, **settings)
        self._head_timer: asyncio.TimerHandle | None = None
        self._head_bytes = 0
        self._write_timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn's own
        super().connection_made(transport)
        self._expect_head()

    def connection_lost(self, exc: Exception | None) -> None:
        _cancel(self._head_timer)
        _cancel(self._write_timer)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self._head_timer is not None:
            self._head_bytes += len(data)
            if self._head_bytes > MAX_HEAD and not self.transport.is_closing():
                self.send_400_response("The headers are too large.")

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._expect_head()

    def on_headers_complete(self) -> None:
        _cancel(self._head_timer)
        self._head_timer = None
        check_head(self.url, self.headers, self.parser.get_http_version())
        super().on_headers_complete()

    def send_400_response(self, msg: str) -> None:
        """Say why, unless that would land in the middle of an answer to an earlier request."""
        if self.cycle is None or not self.cycle.response_started or self.cycle.response_complete:
            super().send_400_response(msg)
        else:
            self.transport.close()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._write_timer = self.loop.call_later(WRITE_SECONDS, self.transport.abort)

    def resume_writing(self) -> None:
        super().resume_writing()
        _cancel(self._write_timer)

    def _expect_head(self) -> None:
        _cancel(self._head_timer)
        self._head_bytes = 0
        self._head_timer = self.loop.call_later(HEAD_SECONDS, self.transport.close)


def check_head(target: bytes, headers: Sequence[tuple[bytes, bytes]], version: str) -> None:
    """Refuse a head that two readers could take for two different requests (RFC 9112 sections 3.2 and 6.1).

    Raises:
        Violation: it is too large, or its Host, target or framing is not plain.

    """
    if len(target) + sum(len(name) + len(value) for name, value in headers) > MAX_HEAD:
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


def _cancel(timer: asyncio.TimerHandle | None) -> None:
    if timer is not None:
        timer.cancel()
