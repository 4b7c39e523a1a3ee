"""The internal API as the caller of the current request sees it: contained paths, the caller's credential, and its
answers in today's words or as this project's failures.
"""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import aclosing, asynccontextmanager
from functools import partial
from math import ceil
from typing import Any

import httpx2
import orjson

from mcp_server.caller import current_caller
from mcp_server.errors import AuthenticationRequired, Refused, ServiceUnavailable
from mcp_server.minds_api.credentials import Credentials
from mcp_server.minds_api.dialect import COLLECTIONS, Dialect, path, to_wire
from mcp_server.minds_api.operations import Operation
from mcp_server.minds_api.refusals import Missing, refusal
from mcp_server.minds_api.replies import Reply, read_events, read_reply
from mcp_server.observability.telemetry import no_op
from mcp_server.toolkit.json_coercion import items, mapping, text, unreadable, whole
from mcp_server.upstream.breaker import CircuitBreaker
from mcp_server.upstream.client import Upstream, address
from mcp_server.upstream.event_stream import IDLE_SECONDS
from mcp_server.upstream.failure_mapping import CLIENT_ERRORS, NOT_FOUND, REDIRECTS, UnreadableAnswer

MOVED = "The internal API has moved; the operator of this gateway has to set MINDSAI_API_URL to its own address"
WITHOUT = "the Minds API that this gateway works on has no {}; only its operator can change that"
EITHER = "text/event-stream, application/json;q=0.9"

PAGE = 100  # the largest page that the internal API serves (minds-api.md section 3)

MOST_LISTED, SIDE_BY_SIDE = 200 * PAGE, 4
"""Objects of one listing, and pages that are asked for at once."""

Send = Callable[[Dialect | None], Awaitable[httpx2.Response]]
"""Sends one request in a dialect."""


class Api:
    """Calls through `upstream`, whose breakers and bulkhead are `protection`.

    `dialect` is for an internal API whose dialect is known. Any other is taken to speak today's words, until something
    that is missing there is found under its name of before. `idle` is the silence, in seconds, after which a stream is
    given up.
    """

    def __init__(
        self, upstream: Upstream, base_url: str, credentials: Credentials, *, dialect: Dialect | None = None
    ) -> None:
        self.protection, self._credentials, self.idle = upstream, credentials, IDLE_SECONDS
        self.breakers: Mapping[str, CircuitBreaker] = upstream.breakers  # one for each operation class, by its name
        self._base = f"{base_url.rstrip('/')}/api/v1"
        self._is_fixed, self._dialect = dialect is not None, dialect
        self.changed: Callable[[], object] = no_op  # called when the caller may have more, or has fewer, than before

    async def call(
        self,
        method: str,
        *segments: str,
        operation: Operation = Operation.DEFAULT,
        params: Mapping[str, str | int] | None = None,
        json: Any = None,
        headers: Mapping[str, str] | None = None,
        files: Mapping[str, Any] | None = None,
    ) -> Any:
        """The parsed body of a successful answer. `files` are sent as a form: name, content and media type by field.

        Raises `GatewayError`: what the caller could not have avoided: 401, 403, 429, timeouts, 5xx, an open breaker;
        `ToolFailure`: what it could: `Missing` (404), `Conflict` (409), `PlanLimit`, `Refused`.
        """
        more = {"params": params, "json": json, "headers": headers or {}, "files": files, "decode": read_reply}
        response, _ = await self._sent(segments, partial(self._send, method, segments, operation, **more))
        reply: Reply = response.extensions["reply"]
        if reply.status == NOT_FOUND or (method != "GET" and len(segments) == (1 if method == "POST" else 2)):
            self.changed()
        return _successful(reply)

    @asynccontextmanager
    async def stream(
        self, method: str, *segments: str, json: Any = None
    ) -> AsyncIterator[AsyncIterator[Mapping[str, Any]]]:
        """The events of an answer, one by one; the one object of an answer that is plain JSON.

            async with api.stream("POST", "studies", id, "ask", json=body) as events:
                async for event in events: ...

        It may open within the operation's time, and may then take as long as it is not silent. Whoever leaves the
        block closes the connection.

        Raises `GatewayError`: as `call`; and while it is read: `Timeout` after a silence, `ServiceUnavailable` when it
        breaks off; `ToolFailure`: as `call`.
        """
        more = {"json": json, "headers": {"accept": EITHER}, "decode": _read_object, "stream": True}
        opened, dialect = await self._sent(segments, partial(self._send, method, segments, Operation.ASK, **more))
        async with aclosing(opened) as response:
            if (stream := response.extensions.get("open_stream")) is None:
                yield _one(_successful(response.extensions["reply"]))
            else:
                stream.idle = self.idle
                async with aclosing(read_events(response, dialect)) as events:
                    yield events

    async def _sent(self, segments: Sequence[str], send: Send) -> tuple[httpx2.Response, Dialect | None]:
        """What `send` gets, and in which dialect; None where all dialects say the same.

        What is missing is looked for under its other name: of a collection always, since the internal API may be
        another one by now, and of anything else while its dialect is not known. What was missing has done nothing, so
        it may be sent again.
        """
        used = (self._dialect or Dialect.CURRENT) if segments[0] in COLLECTIONS else None
        response = await send(used)
        if used is not None and not self._is_fixed:
            if response.status_code == NOT_FOUND and (self._dialect is None or len(segments) == 1):
                other = Dialect.SPARKS if used is Dialect.CURRENT else Dialect.CURRENT
                again = await send(other)
                if again.status_code != NOT_FOUND:
                    used, response = other, again
            if response.is_success:
                self._dialect = used
        return response, used

    async def _send(
        self,
        method: str,
        segments: tuple[str, ...],
        operation: Operation,
        dialect: Dialect | None,
        *,
        json: Any,
        headers: Mapping[str, str],
        decode: Any,
        params: Mapping[str, str | int] | None = None,
        files: Mapping[str, Any] | None = None,
        stream: bool = False,
    ) -> httpx2.Response:
        """The response, whatever its status: read by `decode`, or with `stream` an event stream that is still open."""
        caller = current_caller.get()
        if caller.again is not None and await caller.again() is None:
            raise AuthenticationRequired  # ended while its call was at work, which goes no further
        spoken, body = dialect or Dialect.CURRENT, None
        query = tuple(to_wire(spoken, params).items()) if params else ()
        form: dict[str, str] = {}
        if files is not None:
            upload = httpx2.Request(method, self._base, files=files)
            body, form = upload.read(), {"content-type": upload.headers["content-type"]}
        elif json is not None:
            body = orjson.dumps(to_wire(spoken, json))
        request = self.protection.request(
            method,
            address(self._base, path(spoken, segments), query),
            {"authorization": f"Bearer {self._credentials.bearer(caller)}", **headers, **form},
            body,
            {"operation": operation, "decode": partial(decode, dialect=dialect), "stream": stream},
        )
        return await self.protection.transport.handle_async_request(request)


async def prompts_of(api: Api, place: tuple[str, str], body: Mapping[str, Any]) -> Sequence[Any]:
    """What a model of the client's may be asked for `body`; nothing of an internal API that does not tell."""
    try:
        answer = await api.call("POST", *place, "prompts", operation=Operation.CHAT, json=dict(body))
    except Missing:
        return ()
    return items(mapping(answer), "prompts")


async def listed(
    api: Api, collection: str, *, search: str | None = None, most: int = MOST_LISTED
) -> tuple[list[Mapping[str, Any]], int]:
    """The first objects of `collection` that have an id, each once, in order; and how many there are.

    No page is asked for beyond `most` objects. Raises ServiceUnavailable: it is no listing; Refused: there is no such
    listing, as on an internal API without panels.
    """
    found: dict[str, Mapping[str, Any]] = {}
    total, offset, width = None, 0, 1
    while offset < most:
        offsets = range(offset, min(offset + width * PAGE, most), PAGE)
        ways = ({"limit": PAGE, "offset": each} | ({"search": search} if search else {}) for each in offsets)
        calls = [api.call("GET", collection, params=params) for params in ways]
        try:
            bodies = await asyncio.gather(*calls) if len(calls) > 1 else [await calls[0]]
        except Missing:
            raise Refused(WITHOUT.format(COLLECTIONS[collection])) from None
        for body in bodies:
            answer = mapping(body)
            if not isinstance(answer.get("data"), list):
                raise unreadable(f"a list of {collection}")
            page, known = [mapping(item) for item in items(answer, "data")], len(found)
            found.update((identity, item) for item in page if (identity := text(item, "id")) is not None)
            total = whole(mapping(answer.get("pagination")), "total")
        offset = offsets[-1] + PAGE
        # The last condition ends a listing that ignores `offset` and would go round for ever.
        if (total is not None and offset >= total) or len(page) < PAGE or len(found) == known:
            return list(found.values()), len(found)
        # Side by side once their number is known, and few: other calls of the caller want places as well.
        width = 1 if total is None else min(SIDE_BY_SIDE, ceil((total - offset) / PAGE))
    return list(found.values()), max(len(found), total or 0)


async def _read_object(response: httpx2.Response, body: bytes, dialect: Dialect | None) -> None:
    """What comes in place of a stream: a refusal, or one object."""
    await read_reply(response, body, dialect)
    if response.is_success and not isinstance(response.extensions["reply"].body, Mapping):
        raise UnreadableAnswer("the answer is neither a stream nor an object")


async def _one(body: Any) -> AsyncGenerator[Mapping[str, Any], None]:
    yield body


def _successful(reply: Reply) -> Any:
    if REDIRECTS <= reply.status < CLIENT_ERRORS:
        raise ServiceUnavailable(MOVED)
    if reply.status >= CLIENT_ERRORS:
        raise refusal(reply.status, reply.body, reply.retry_after)
    return reply.body
