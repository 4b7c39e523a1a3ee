"""An answer of the internal API that comes event by event: each in today's words, until it is whole or breaks off."""

import asyncio
import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping
from typing import Any

import httpx2
import orjson

from mcp_server.minds_api.dialect import Dialect
from mcp_server.minds_api.replies import MAX_ANSWER_BYTES, parse
from mcp_server.upstream.sse import Event, EventReader, EventTooLong

IDLE_SECONDS = 60.0
"""Silence after which a stream is given up. The internal API sends a comment every 15 seconds while it works."""

QUIET_SECONDS = 900.0
"""Time without an event after which a stream is given up, however many comments come: nobody answers any more."""

MAX_STREAM_BYTES = 64 * 1024 * 1024

ENDS = frozenset({"result", "error", "done"})
"""Events after which a stream may end. One that ends before them broke off, however politely."""


def is_stream(response: httpx2.Response) -> bool:
    """Whether `response` will tell events. A refusal never does."""
    kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
    return kind == "text/event-stream" and response.is_success


def is_end(event: Mapping[str, Any]) -> bool:
    """Whether nothing essential follows `event`."""
    return event.get("type") in ENDS


async def read_events(
    response: httpx2.Response,
    dialect: Dialect | None,
    *,
    idle: float = IDLE_SECONDS,
    quiet: float = QUIET_SECONDS,
    clock: Callable[[], float] = time.monotonic,
) -> AsyncGenerator[Mapping[str, Any], None]:
    """The events of `response` up to `done`. What is not an object, such as a ping, is passed over.

    Raises:
        TimeoutError: nothing came for `idle` seconds, not even a comment; or no event for `quiet` seconds.
        httpx2.TransportError: it broke off, is larger than any answer, or is not JSON.

    """
    reader, parts = EventReader(longest=MAX_ANSWER_BYTES), response.aiter_bytes()
    total, ended, latest = 0, False, clock()
    while (part := await _next(parts, idle)) is not None:
        total += len(part)
        if clock() - latest > quiet:
            raise TimeoutError
        for event in _completed(reader, part, total):
            told = await _told(event, dialect)
            if told is not None:
                ended, latest = ended or is_end(told), clock()
                yield told
                if told.get("type") == "done":
                    return
    if not ended:
        raise httpx2.RemoteProtocolError("the stream broke off")


async def _next(parts: AsyncIterator[bytes], idle: float) -> bytes | None:
    async with asyncio.timeout(idle):
        return await anext(parts, None)


def _completed(reader: EventReader, part: bytes, total: int) -> list[Event]:
    try:
        events = list(reader.feed(part))
    except EventTooLong:
        raise httpx2.RemoteProtocolError("an event is too large") from None
    if total > MAX_STREAM_BYTES:
        raise httpx2.RemoteProtocolError("the stream is too large")
    return events


async def _told(event: Event, dialect: Dialect | None) -> Mapping[str, Any] | None:
    """The event as one object; where its kind stands beside the data, it is put into it."""
    try:
        told = await parse(event.data, dialect)
    except orjson.JSONDecodeError:
        raise httpx2.RemoteProtocolError("an event is not JSON") from None
    if not isinstance(told, dict):
        return None
    return told if event.name is None or "type" in told else {"type": event.name, **told}
