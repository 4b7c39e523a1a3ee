"""What changes while somebody looks at it, as server-sent events: of a page, or of a widget."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import suppress

from starlette.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from app.console.calls import CallRefused
from app.http.rate_limits import ConcurrencyLimit
from mcp_server.caller import Caller
from mcp_server.request_context import current_context

FIRST, PAUSE = 0.5, 2.0  # seconds between looks, which become longer
MOST_LOOKS = 150  # the longest stream is some five minutes; browsers open the next one by themselves
MOST_STREAMS = 16  # of one person
PASSING = frozenset({"RATE_LIMIT_EXCEEDED", "SERVICE_UNAVAILABLE", "CIRCUIT_BREAKER_OPEN", "TIMEOUT"})
BEGIN = b"retry: 2000\n\n"
HEADERS = {"cache-control": "no-store", "x-accel-buffering": "no"}  # proxies pass each event on at once

Headers = Mapping[str, str]
Look = Callable[[], Awaitable[tuple[str, str]]]
"""What is to be seen now, and the event that ends it, if one does: `done` loads a page again, `end` leaves it."""


class Streams:
    """Those of one process, which tells them when it closes: it would wait for them."""

    def __init__(self) -> None:
        self._limit, self._ending = ConcurrencyLimit(MOST_STREAMS), asyncio.Event()

    def end(self) -> None:
        self._ending.set()

    def response(self, user_id: str, look: Look, headers: Headers = HEADERS) -> StreamingResponse:
        """What `look` sees whenever it has changed, to its end."""
        return _Stream(self._events(look), self._limit, user_id, headers)

    async def _events(self, look: Look) -> AsyncIterator[bytes]:
        yield BEGIN
        last = ""
        for number in range(1, MOST_LOOKS + 1):
            try:
                seen, end = await look()
            except CallRefused as refused:
                if refused.code not in PASSING:
                    yield b"event: done\ndata:\n\n"  # loaded again, the page says what is wrong
                return
            if seen != last:
                yield "".join(f"data: {line}\n" for line in seen.splitlines()).encode() + b"\n"
            if end:
                yield f"event: {end}\ndata:\n\n".encode()
                return
            last = seen
            with suppress(TimeoutError):
                await asyncio.wait_for(self._ending.wait(), min(PAUSE, FIRST * number))
                return


class _Stream(StreamingResponse):
    def __init__(self, events: AsyncIterator[bytes], limit: ConcurrencyLimit, user_id: str, headers: Headers) -> None:
        super().__init__(events, 200, headers, "text/event-stream")
        self._limit, self._caller = limit, Caller("oauth", user_id)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Raises `RateLimitExceeded`: this person watches as many things already as is allowed."""
        context = current_context.get()
        context.caller = self._caller
        with self._limit.held(context):
            await super().__call__(scope, receive, send)
