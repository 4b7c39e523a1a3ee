"""A completion as server-sent events: start, heartbeats meanwhile, one result or error, done."""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import suppress
from typing import Any

import orjson
import structlog

from app.internal_api.errors import ApiError
from app.internal_api.models.completion import Completion
from app.internal_api.models.wire import iso
from app.internal_api.routes.call import Call

log = structlog.get_logger()

PADDING = b": " + b" " * 2048 + b"\n\n"  # makes proxies that collect a first block let go of it
HEARTBEAT = b": heartbeat\n\n"


async def answer_events(
    answering: Callable[[], Coroutine[Any, Any, Completion]], call: Call, *, heartbeat_seconds: float
) -> AsyncIterator[bytes]:
    """The events of one answer; when the client goes away, the answer is given up."""
    task = asyncio.create_task(answering())
    try:
        yield PADDING
        yield event("start", {"type": "start", "timestamp": iso(call.services.clock())})
        while not task.done():
            await asyncio.wait({task}, timeout=heartbeat_seconds)
            if not task.done():
                yield HEARTBEAT
        yield _outcome(task, call)
        yield event("done", {"type": "done"})
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError, Exception):
            await task


def event(name: str, data: Any) -> bytes:
    """One event; JSON has no line ends in it, so one data line is enough."""
    return b"event: %s\ndata: %s\n\n" % (name.encode(), orjson.dumps(data))


def _outcome(task: asyncio.Task[Completion], call: Call) -> bytes:
    failure = task.exception()
    if failure is None:
        return event("result", call.wire(task.result()))
    if isinstance(failure, ApiError):
        return event("error", {"type": "error", "status": failure.status, "message": failure.message})
    # The answer has begun, so the fault can only be told inside it; nothing internal is shown.
    log.error("internal_api.stream_failed", exc_info=failure)
    return event("error", {"type": "error", "status": 500, "message": "Internal Server Error"})
