"""Responses that are read as they arrive: server-sent events and others, bounded in size, silence and time."""

import asyncio
import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import aclosing
from typing import cast

import httpx2

from mcp_server.observability.telemetry import no_op
from mcp_server.upstream.deadline import deadline_timeout
from mcp_server.upstream.failure_mapping import FAULTS, Abandoned, UnreadableAnswer

IDLE_SECONDS = 60.0
"""Without a byte, after which a stream is given up. Servers of events send a comment every 15 seconds or so."""

QUIET_SECONDS = 900.0
"""Without an event, after which a stream is given up, however many comments come."""

MAX_EVENT_BYTES = 16 * 1024 * 1024
MAX_STREAM_BYTES = 64 * 1024 * 1024

Ended = Callable[[Exception | None], None]
"""Called once with what ended a response: None when it was whole, `Abandoned` when its reader left before."""


class OpenStream(httpx2.AsyncByteStream):
    """The body of a response; `ended` is called at its end.

    The last byte is the end of most bodies. Where it is not, as with events, the reader sets `is_whole` to False first
    and to True when nothing essential follows; it reports content that cannot be used with `fail`.
    """

    def __init__(self, inner: httpx2.AsyncByteStream, ended: Ended) -> None:
        self._inner, self._ended = inner, ended
        self._error: Exception | None = None
        self._is_exhausted = False
        self.is_whole: bool | None = None
        self.idle: float | None = None
        self.first_event: Callable[[], None] = no_op

    def fail(self, error: Exception) -> None:
        self._error = self._error or error

    async def __aiter__(self) -> AsyncIterator[bytes]:
        parts = aiter(self._inner)
        try:
            while True:
                async with asyncio.timeout(self.idle):
                    part = await anext(parts, None)
                if part is None:
                    break
                yield part
        except FAULTS as error:
            self.fail(error)
            raise
        self._is_exhausted = True

    async def aclose(self) -> None:
        try:
            await self._inner.aclose()
        finally:
            error = self._error
            if error is None and not (self._is_exhausted if self.is_whole is None else self.is_whole):
                error = httpx2.RemoteProtocolError("the stream broke off") if self._is_exhausted else Abandoned()
            ended, self._ended = self._ended, no_op
            ended(error)


def may_stay_open(response: httpx2.Response, wanted: object) -> bool:
    """Whether `response` is read as it arrives: events, where it is `wanted`, with "any" each success; no refusal."""
    kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
    return bool(wanted) and response.is_success and (wanted == "any" or kind == "text/event-stream")


async def read_events(
    response: httpx2.Response, *, quiet: float = QUIET_SECONDS
) -> AsyncGenerator[httpx2.ServerSentEvent, None]:
    """The events of `response` that have data.

    Raises `TimeoutError`: nothing came for the stream's `idle` seconds, or no event for `quiet` seconds.
    httpx2.TransportError: it broke off, or is larger than it may be.
    """
    total = 0
    source = httpx2.EventSource(response, max_event_size=MAX_EVENT_BYTES)
    async with aclosing(cast("AsyncGenerator[httpx2.ServerSentEvent, None]", aiter(source))) as events:
        while True:
            async with asyncio.timeout(quiet):
                event = await anext(events, None)
            if event is None:
                return
            total += len(event.data)
            if total > MAX_STREAM_BYTES:
                raise UnreadableAnswer("the stream is too large")
            if event.data:
                yield event


async def read_parts(response: httpx2.Response, seconds: float, most: int) -> AsyncGenerator[bytes, None]:
    """The decoded body of a response that was left open, as it comes.

    Raises `TimeoutError`: it was not whole after `seconds`; `DeadlinePassed`: the caller's own time was over before;
    `UnreadableAnswer`: it has more than `most` bytes; `httpx2.RequestError`: it broke off.
    """
    ends, total, stream = time.monotonic() + seconds, 0, response.extensions["open_stream"]
    async with aclosing(response.aiter_bytes()) as parts:
        while True:
            stream.idle = left = ends - time.monotonic()
            async with deadline_timeout(left + 1):  # the stream's own end comes first, and is its own fault
                part = await anext(parts, None)
            if part is None:
                return
            stream.first_event()
            total += len(part)
            if total > most:
                stream.fail(fault := UnreadableAnswer("the stream is too large"))
                raise fault
            yield part
