"""When the caller of the current request stops waiting. What is asked of others for it gets what is left, never more.

Two things end a call: the time of the operation, which is what its answer may take, and the deadline of whoever waits
for it. Only the first says something about the server that was asked, so that the two are kept apart here: a client
with little patience must not close the door on everybody else.
"""

import asyncio
import math
import re
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import aclosing, asynccontextmanager
from contextvars import ContextVar
from typing import Any, TypeVar

import httpx2

from mcp_server.upstream.event_stream import is_event_stream
from mcp_server.upstream.failure_mapping import DeadlinePassed, UnreadableAnswer
from mcp_server.upstream.layer import Layer

T = TypeVar("T")

BUDGET = "ai.getminds/timeoutMs"
"""The member of a request's `_meta` in which a client says how many milliseconds it waits."""

_WAIT = re.compile(r"(?:^|[,;])\s*wait\s*=\s*\"?(\d{1,6})\"?\s*(?=$|[,;])", re.IGNORECASE)


NEVER = math.inf

current_deadline: ContextVar[float] = ContextVar("current_deadline", default=NEVER)
"""A moment of the monotonic clock. Set around each tool call; read wherever the call waits for somebody."""


def time_left() -> float:
    """Seconds that the current caller still waits: infinite where nobody does, not above 0 when they are over."""
    return current_deadline.get() - time.monotonic()


KEPT_BACK = 0.02
"""Seconds that stay with the caller of what is left, to say what happened: the inner time ends before the outer one."""

NEARLY = 0.9
"""The share of its time with which an operation was given all of it, where the deadline that cut it was no shorter."""


@asynccontextmanager
async def deadline_timeout(seconds: float) -> AsyncIterator[None]:
    """Limit a block to these seconds, and to no more than the caller has left.

    Raises `DeadlinePassed`: the deadline of the caller came first; if it has passed, nothing is begun; `TimeoutError`:
    the seconds were used up, or nearly.
    """
    left = current_deadline.get() - time.monotonic() - KEPT_BACK
    if left <= 0:
        raise DeadlinePassed
    timeout = asyncio.timeout(min(left, seconds))
    try:
        async with timeout:
            yield
    except TimeoutError:
        if timeout.expired() and left < seconds * NEARLY:
            raise DeadlinePassed from None
        raise


async def outliving(work: Callable[[], Awaitable[T]]) -> T:
    """`work` that goes on when the call that began it has ended; to be run as a task, whose context is its own."""
    current_deadline.set(NEVER)
    return await work()


def stated(meta: Mapping[str, Any] | None, prefer: str) -> float | None:
    """The seconds that a client says it waits: in `_meta`, or over HTTP by `Prefer: wait=10` (RFC 7240 section 4.3).

    The shorter one counts. What cannot be read is no wish at all, as that document has it.
    """
    found = _WAIT.search(prefer)
    seconds = [float(found[1])] if found else []
    budget = (meta or {}).get(BUDGET)
    if isinstance(budget, int | float) and not isinstance(budget, bool) and 0 <= budget < math.inf:
        seconds.append(budget / 1000)
    return min(seconds, default=None)


MAX_BODY_BYTES = 16 * 1024 * 1024
"""A body beyond this is no answer: memory stays bounded whatever the upstream sends."""

CODED = ("content-encoding", "content-length", "transfer-encoding")
"""Headers that do not describe a body any more that was decoded."""


class DeadlineTransport(Layer):
    """What comes from here is whole and decoded, but for event streams that were asked for: they must begin in time.

    Raises `TimeoutError`: the operation's time is over; `DeadlinePassed`: the caller's own time was over before;
    `UnreadableAnswer`: the body is too large.
    """

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        body = bytearray()
        async with deadline_timeout(request.extensions["seconds"]):
            response = await self._inner.handle_async_request(request)
            if request.extensions.get("stream") and is_event_stream(response):
                return response
            async with aclosing(response):
                if not response.is_redirect:  # whose body is nobody's
                    async for part in response.aiter_bytes():
                        body += part
                        if len(body) > MAX_BODY_BYTES:
                            raise UnreadableAnswer("the answer is too large")
            headers = [(name, value) for name, value in response.headers.items() if name not in CODED]
            whole = httpx2.Response(response.status_code, headers=headers, content=bytes(body))
            if (decode := request.extensions.get("decode")) is not None:
                await decode(whole)
            return whole
