"""Answers as server-sent events."""

from collections.abc import AsyncIterator
from typing import Any

import orjson
from starlette.responses import StreamingResponse

from app.internal_api.http.call import NO_STORE
from app.internal_api.models.wire import plain

PADDING = b": " + b" " * 2048 + b"\n\n"  # makes proxies that collect a first block let go of it
HEARTBEAT = b": heartbeat\n\n"


def event_stream(events: AsyncIterator[bytes]) -> StreamingResponse:
    """A stream that no cache keeps and no proxy collects."""
    headers = {**NO_STORE, "X-Accel-Buffering": "no"}
    return StreamingResponse(events, media_type="text/event-stream", headers=headers)


def event(data: Any, name: str | None = None) -> bytes:
    """One event; JSON has no line ends in it, so one data line is enough."""
    named = b"" if name is None else b"event: %s\n" % name.encode()
    return b"%sdata: %s\n\n" % (named, orjson.dumps(data, default=plain))
