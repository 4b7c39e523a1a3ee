"""One POST and its answer: plain JSON with the status that belongs to it, or a stream if that cannot wait."""

import asyncio
from collections.abc import Awaitable, Mapping
from typing import Any, cast

import orjson
from mcp.server.runner import modern_error_data
from mcp.server.streamable_http import REQUEST_CANCELLED
from starlette.types import Receive, Send

from mcp_server.protocol.envelope import CANCELLED, Envelope
from mcp_server.request_context import RequestContext, current_context

KEEP_ALIVE_SECONDS = 15.0
"""Seconds of silence after which a stream is opened, and then kept alive: proxies close idle connections."""

WATCHED_AFTER = 0.05
"""Seconds after which a call has a task beside it, which keeps its stream alive and sees its client leave. Nearly all
calls end before, and cost no task.
"""

STREAM_HEADERS = [
    (b"content-type", b"text/event-stream"),
    (b"cache-control", b"no-cache, no-transform"),
    (b"x-accel-buffering", b"no"),
]

Running = dict[asyncio.Task[Any], RequestContext]
"""The tasks that serve requests, to be cancelled when serving ends. One whose client has cancelled it is not in it."""


class Exchange:
    """Answers one request. A client that leaves cancels it where there is a `receive`; one that reads no stream
    (`may_stream`) gets the answer alone.
    """

    def __init__(
        self, running: Running, send: Send, receive: Receive | None = None, *, may_stream: bool = True
    ) -> None:
        self._running, self._send, self._receive, self._may_stream = running, send, receive, may_stream
        self._is_streaming, self._writing = False, asyncio.Lock()

    async def event(self, data: bytes) -> None:
        """Send a part of the stream, which begins with the first. Waits for its reader: nothing piles up."""
        if not self._may_stream:
            return
        async with self._writing:
            if not self._is_streaming:
                await self._send({"type": "http.response.start", "status": 200, "headers": STREAM_HEADERS})
                self._is_streaming = True
            await self._send({"type": "http.response.body", "body": data, "more_body": True})

    async def answer(self, request_id: Any, result: Awaitable[dict[str, Any]], statuses: Mapping[int, int]) -> None:
        """Write the result, or the error that it raises. `statuses` are of error codes, if no refusal has its own."""
        task, beside = cast("asyncio.Task[Any]", asyncio.current_task()), list[asyncio.Task[None]]()
        timer = asyncio.get_running_loop().call_later(WATCHED_AFTER, self._watch, task, beside)
        self._running[task] = current_context.get()
        message = {"jsonrpc": "2.0", "id": request_id}
        try:
            message["result"] = await result
        except asyncio.CancelledError:
            if task in self._running:
                raise
            task.uncancel()  # HTTP has an answer all the same, whether it is read or not
            message["error"] = {"code": REQUEST_CANCELLED, "message": "Request cancelled"}
        except Exception as error:  # noqa: BLE001  the kernel's own mapping: it logs a bug and shows nothing of it
            message["error"] = modern_error_data(error).model_dump(mode="json", by_alias=True, exclude_none=True)
        finally:
            self._running.pop(task, None)
            timer.cancel()
            for each in beside:
                each.cancel()
            if beside:  # what is written now stands behind all that was
                await asyncio.wait(beside)
        if self._is_streaming:
            await self._send({"type": "http.response.body", "body": stream_event(message)})
            return
        status, body = 200, orjson.dumps(message)
        if "error" in message:
            refusal = current_context.get().refusal
            status = refusal.http_status if refusal else statuses.get(message["error"]["code"], 200)
        headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
        await self._send({"type": "http.response.start", "status": status, "headers": headers})
        await self._send({"type": "http.response.body", "body": body})

    def _watch(self, task: asyncio.Task[Any], beside: list[asyncio.Task[None]]) -> None:
        beside.append(asyncio.create_task(self._keep_alive()))
        if self._receive is not None:
            beside.append(asyncio.create_task(self._leave(self._receive, task)))

    async def _keep_alive(self) -> None:
        while True:
            await asyncio.sleep(KEEP_ALIVE_SECONDS)
            await self.event(b": keep-alive\n\n")

    async def _leave(self, receive: Receive, task: asyncio.Task[Any]) -> None:
        while (await receive())["type"] != "http.disconnect":
            pass
        _cancel(self._running, task)


def notified(running: Running, context: RequestContext, envelope: Envelope) -> None:
    """Cancel the request that a notification says is cancelled, where it is plain that its own client says so.

    All clients count their requests from 1, so the account, the address and the program have to be the same as well.
    """

    def sender(of: RequestContext, request_id: Any) -> tuple[Any, ...]:
        return of.caller, of.address, of.headers.get("user-agent"), request_id

    is_known = context.caller is not None and not context.caller.is_anonymous
    if envelope.method == CANCELLED and is_known:
        wanted = sender(context, (envelope.params or {}).get("requestId"))
        meant = [task for task, one in running.items() if one.envelope and sender(one, one.envelope.id) == wanted]
        if len(meant) == 1:
            _cancel(running, meant[0])


def _cancel(running: Running, task: asyncio.Task[Any]) -> None:
    """For its client, who wants it no more."""
    running.pop(task, None)
    task.cancel()


async def end(running: Running) -> None:
    """Cancel what still runs; called when serving ends."""
    tasks = list(running)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


def stream_event(message: Mapping[str, Any]) -> bytes:
    """A message as one event of a stream."""
    return b"event: message\ndata: " + orjson.dumps(message) + b"\n\n"
