"""Asks a panel without keeping a browser waiting, and tells pages how it goes."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import suppress
from typing import Any

import structlog
from starlette.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from app.console.calls import CallRefused
from app.console.site import Visitor
from app.http.rate_limits import ConcurrencyLimit
from mcp_server.caller import Caller
from mcp_server.request_context import current_context
from mcp_server.toolkit.cache import TtlCache

MOMENT = 1.0  # seconds that a form waits: a refusal comes sooner, and so does the question's id
TRIES = 4
KEPT = 600.0  # seconds for which a late refusal waits to be shown
PAUSE = 2.0
MOST_LOOKS = 150  # the longest stream is some five minutes; browsers open the next one by themselves
MOST_STREAMS = 8
BUSY = frozenset({"RATE_LIMIT_EXCEEDED", "SERVICE_UNAVAILABLE", "CIRCUIT_BREAKER_OPEN"})
DONE = b"event: done\ndata:\n\n"

Look = Callable[[], Awaitable[tuple[str, bool]]]
"""What is to be shown now as HTML, and whether it stays so."""

log = structlog.get_logger(__name__)


class Asking:
    """The calls of `ask_panel` that pages have begun, each in a task that is kept until it ends."""

    def __init__(self) -> None:
        self._tasks: dict[asyncio.Task[dict[str, Any]], tuple[str, str]] = {}
        self._refused: TtlCache[tuple[str, str], CallRefused] = TtlCache(KEPT)
        self.streams, self.ending = ConcurrencyLimit(MOST_STREAMS), asyncio.Event()

    async def begin(self, visitor: Visitor, panel_id: str, arguments: Mapping[str, Any]) -> str | None:
        """The id of the question, as soon as it has one; None where that takes longer than a moment.

        Raises `CallRefused`: it was refused in that moment. A later refusal is told by `refusal`.
        """
        task = asyncio.create_task(visitor.call("ask_panel", panelId=panel_id, **arguments))
        self._tasks[task] = visitor.user.id, panel_id
        task.add_done_callback(self._end)
        found = None
        for _ in range(TRIES):
            await asyncio.wait({task}, timeout=MOMENT / TRIES)
            if task.done():
                self.refusal(visitor.user.id, panel_id)  # it is told at once
                return str(task.result()["questionId"])
            with suppress(CallRefused):
                found = await _running(visitor, panel_id, arguments.get("question"))
            if found is not None:
                break
        return found

    def is_running(self, user_id: str, panel_id: str) -> bool:
        return (user_id, panel_id) in self._tasks.values()

    def refusal(self, user_id: str, panel_id: str) -> CallRefused | None:
        """Why the panel was not asked after all; told once."""
        found = self._refused.get((user_id, panel_id))
        self._refused.forget((user_id, panel_id))
        return found

    def end(self) -> None:
        """End the streams: the process closes, and would wait for them."""
        self.ending.set()

    async def close(self) -> None:
        """Let go of all. What was asked stays asked."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _end(self, task: asyncio.Task[dict[str, Any]]) -> None:
        subject = self._tasks.pop(task)
        error = None if task.cancelled() else task.exception()
        if isinstance(error, CallRefused):
            self._refused.put(subject, error)
        elif error is not None:
            log.error("ask_crashed", exc_info=error)


async def _running(visitor: Visitor, panel_id: str, question: str | None) -> str | None:
    """The id of the question of this wording that is being answered."""
    questions = (await visitor.call("get_panel_results", panelId=panel_id))["questions"]
    running = {one["question"]: one["questionId"] for one in questions if one["status"] == "processing"}
    return running.get(question)


class LiveResponse(StreamingResponse):
    """Server-sent events as `site.js` reads them: what `look` shows whenever it has changed, then `done`."""

    def __init__(self, visitor: Visitor, asking: Asking, look: Look) -> None:
        headers = {"cache-control": "no-store", "x-accel-buffering": "no"}  # proxies pass each event on at once
        super().__init__(_events(look, asking.ending), headers=headers, media_type="text/event-stream")
        self._user_id, self._streams = visitor.user.id, asking.streams

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Raises `RateLimitExceeded`: this person watches as many things already as is allowed."""
        context = current_context.get()
        context.caller = Caller("oauth", self._user_id)
        with self._streams.held(context):
            await super().__call__(scope, receive, send)


async def _events(look: Look, ending: asyncio.Event) -> AsyncIterator[bytes]:
    last = ""
    for _ in range(MOST_LOOKS):
        try:
            shown, is_over = await look()
        except CallRefused as refused:
            if refused.code not in BUSY:
                yield DONE  # the page is loaded again, and says what is wrong
            return
        if shown != last:
            yield "".join(f"data: {line}\n" for line in shown.splitlines()).encode() + b"\n"
        if is_over:
            yield DONE
            return
        last = shown
        with suppress(TimeoutError):
            await asyncio.wait_for(ending.wait(), PAUSE)
            return
