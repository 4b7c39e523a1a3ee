"""Sinks that only send: standard output, and syslog (RFC 5424) over UDP, TCP or a local socket."""

import asyncio
import os
import socket
import sys
from collections.abc import Sequence
from typing import Any, BinaryIO
from urllib.parse import urlsplit

from mcp_server.audit.chain import Row
from mcp_server.audit.entries import Event
from mcp_server.audit.sinks import Sink, SinkFailed

APP = "minds-gateway"
LOG_AUDIT = 13  # the facility for it (RFC 5424 section 6.2.1)

ERROR, WARNING, INFO = 3, 4, 6
MAX_HOST = 255
SECONDS = 5.0  # for connecting, and for each write


class StdoutSink(Sink):
    """JSON lines, for whoever collects a container's output. Never used on stdio, where stdout is the protocol's."""

    name = "stdout"

    def __init__(self, stream: BinaryIO | None = None) -> None:
        self._stream = stream or sys.stdout.buffer

    async def write(self, rows: Sequence[Row]) -> None:
        await asyncio.to_thread(self._write, b"".join(row.line + b"\n" for row in rows))

    def _write(self, data: bytes) -> None:
        try:
            self._stream.write(data)
            self._stream.flush()
        except (OSError, ValueError) as fault:  # ValueError: it was closed
            raise SinkFailed(type(fault).__name__) from None


class SyslogSink(Sink):
    """One message for each row; the row is the message, whole, so that the copy can be verified too."""

    name = "syslog"

    def __init__(self, address: str, host: str | None = None) -> None:
        self._address, self._host = urlsplit(address), plain_host(host or socket.gethostname())
        self._socket: socket.socket | None = None

    async def write(self, rows: Sequence[Row]) -> None:
        await asyncio.to_thread(self._write, [message(row, self._host) for row in rows])

    async def aclose(self) -> None:
        self._close()

    def _write(self, messages: Sequence[bytes]) -> None:
        try:
            if self._socket is None or _is_closed(self._socket):
                self._close()
                self._socket = self._connected()
            if self._address.scheme == "tcp":  # each after its length (RFC 6587 section 3.4.1)
                self._socket.sendall(b"".join(b"%d %s" % (len(each), each) for each in messages))
                return
            for each in messages:
                self._socket.send(each)
        except OSError as fault:
            self._close()
            raise SinkFailed(f"{type(fault).__name__}: {fault.strerror}") from None

    def _connected(self) -> socket.socket:
        if self._address.scheme == "tcp":
            return socket.create_connection((str(self._address.hostname), int(self._address.port or 0)), SECONDS)
        family: int = socket.AF_UNIX
        target: Any = self._address.path
        if self._address.scheme == "udp":
            found = socket.getaddrinfo(self._address.hostname, self._address.port, type=socket.SOCK_DGRAM)[0]
            family, target = found[0], found[4]
        self._socket = datagrams = socket.socket(family, socket.SOCK_DGRAM)
        datagrams.settimeout(SECONDS)
        datagrams.connect(target)
        return datagrams

    def _close(self) -> None:
        if self._socket is not None:
            self._socket.close()
            self._socket = None


def _is_closed(connection: socket.socket) -> bool:
    """Whether the collector has ended the connection: what is written after that is lost, and no write fails."""
    if connection.type != socket.SOCK_STREAM:
        return False
    connection.settimeout(0)
    try:
        return connection.recv(1) == b""
    except BlockingIOError:
        return False
    finally:
        connection.settimeout(SECONDS)


def message(row: Row, host: str) -> bytes:
    """RFC 5424 section 6, with the event as MSGID and the row as MSG. A row has no line end within."""
    head = f"<{LOG_AUDIT * 8 + severity(row)}>1 {row.fields['time']} {host} {APP} {os.getpid()} {row.entry.event} - "
    return head.encode() + row.line


def severity(row: Row) -> int:
    """RFC 5424 section 6.2.1."""
    if row.entry.event in {Event.INTERNAL_ERROR, Event.AUDIT_GAP}:
        return ERROR
    return INFO if row.entry.outcome == "ok" else WARNING


def plain_host(host: str) -> str:
    """As HOSTNAME may be (RFC 5424 section 6): printable ASCII without blanks, or `-`."""
    return "".join(sign for sign in host if "!" <= sign <= "~")[:MAX_HOST] or "-"
