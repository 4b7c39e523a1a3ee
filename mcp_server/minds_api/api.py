"""The way out to the internal API: contained paths, the caller's credential, timeouts, breakers, and its answers
turned into this project's failures.
"""

from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import AsyncExitStack, aclosing, asynccontextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any
from urllib.parse import urlsplit

import httpx2
import orjson

from mcp_server.caller import current_caller
from mcp_server.errors import GatewayError, ServiceUnavailable, Timeout
from mcp_server.minds_api.credentials import Credentials
from mcp_server.minds_api.detector import DialectFinder
from mcp_server.minds_api.dialect import Dialect, has_dialect, is_collection, path, to_wire
from mcp_server.minds_api.dialect_probe import DialectQuestion
from mcp_server.minds_api.refusals import refusal
from mcp_server.minds_api.replies import Reply, UnreadableAnswer, read_reply
from mcp_server.minds_api.streaming import IDLE_SECONDS, is_end, is_stream, read_events
from mcp_server.settings import McpSettings
from mcp_server.upstream.breaker import AsyncBreaker, Call, Verdict
from mcp_server.upstream.failure_mapping import (
    BreakerChanged,
    Observe,
    Watch,
    class_of,
    failures,
    judge_reply,
    unheard,
    watched,
)
from mcp_server.upstream.protection import Operation, Protection
from mcp_server.upstream.quote_path import address, contained
from mcp_server.upstream.retry import SAFE, Tries

MOVED = "The internal API has moved; the operator of this gateway has to set MINDSAI_API_URL to its own address"
EITHER = "text/event-stream, application/json;q=0.9"


@dataclass(frozen=True, slots=True)
class _Asked:
    """One request in today's words, before it is written in those of the internal API."""

    method: str
    segments: tuple[str, ...]
    params: Mapping[str, str | int] | None
    json: Any
    headers: Mapping[str, str]


@dataclass(slots=True)
class _Opened:
    """An answer that has begun to come event by event. `verdict` is what its breaker is told when it ends."""

    response: httpx2.Response
    call: Call
    dialect: Dialect | None
    verdict: Verdict = Verdict.IGNORE


class Api:
    """The internal API, as the caller of the current request sees it, in today's words whatever its dialect.

    `dialect` is for an internal API whose dialect is known; any other is asked. `idle` is the silence, in seconds,
    after which a stream is given up.
    """

    def __init__(
        self,
        client: httpx2.AsyncClient,
        base_url: str,
        credentials: Credentials,
        settings: McpSettings,
        *,
        observe: Observe,
        dialect: Dialect | None = None,
        idle: float = IDLE_SECONDS,
        breaker_changed: BreakerChanged = unheard,
    ) -> None:
        self._client, self._credentials, self._observe, self._idle = client, credentials, observe, idle
        self._base = f"{base_url.rstrip('/')}/api/v1"
        self._retries = settings.upstream_retries
        self.protection = Protection(urlsplit(base_url).netloc, settings, breaker_changed)
        self._finder = DialectFinder(DialectQuestion(client, self._base, self.protection, observe), dialect)

    @property
    def breakers(self) -> Mapping[Operation, AsyncBreaker]:
        """One for each operation class of this host."""
        return self.protection.breakers

    async def call(
        self,
        method: str,
        *segments: str,
        operation: Operation = Operation.DEFAULT,
        params: Mapping[str, str | int] | None = None,
        json: Any = None,
        headers: Mapping[str, str] | None = None,
    ) -> Any:
        """The parsed body of a successful answer.

        Raises:
            GatewayError: what the caller could not have avoided: 401, 403, 429, timeouts, 5xx, an open breaker.
            ToolFailure: what it could: `Missing` (404), `Conflict` (409), `PlanLimit`, `Refused`.

        """
        asked = _Asked(method, segments, params, json, headers or {})
        dialect = await self._dialect(segments, operation)
        reply = await self._exchange(asked, operation, dialect)
        if reply.status == httpx2.codes.NOT_FOUND and dialect is not None and self._is_doubtful(segments):
            other = await self._finder.find_again(dialect, operation)
            if other is not dialect:  # and what was missing has done nothing, so it may be sent again
                reply = await self._exchange(asked, operation, other)
                if reply.status != httpx2.codes.NOT_FOUND:
                    self._finder.learn(other)
        return _successful(reply)

    @asynccontextmanager
    async def stream(
        self,
        method: str,
        *segments: str,
        operation: Operation = Operation.ASK,
        params: Mapping[str, str | int] | None = None,
        json: Any = None,
        headers: Mapping[str, str] | None = None,
    ) -> AsyncIterator[AsyncIterator[Mapping[str, Any]]]:
        """The events of an answer, one by one; the one object of an answer that is plain JSON.

            async with api.stream("POST", "studies", id, "ask", json=body) as events:
                async for event in events: ...

        It may open within the operation's time, and may then take as long as it is not silent. Whoever leaves the
        block closes the connection.

        Raises:
            GatewayError: as `call`; and while it is read: `Timeout` after a silence, `ServiceUnavailable` when it
                breaks off.
            ToolFailure: as `call`.

        """
        asked = _Asked(method, segments, params, json, {"accept": EITHER, **(headers or {})})
        dialect = await self._dialect(segments, operation)
        request = self._request(asked, dialect)
        with watched(self._observe, operation.value) as watch:
            async with AsyncExitStack() as stack:
                with failures(operation.value, watch):
                    await stack.enter_async_context(self.protection.slot(operation))
                    opened = await self._open(request, operation, dialect)
                if isinstance(opened, Reply):
                    watch.saw(opened)
                    yield _one(_successful(opened))
                    return
                stack.callback(self._settle, operation, opened)
                await stack.enter_async_context(aclosing(opened.response))
                yield await stack.enter_async_context(aclosing(self._events(opened, operation, watch)))

    async def _dialect(self, segments: tuple[str, ...], operation: Operation) -> Dialect | None:
        """None where all dialects are the same, and none needs to be known."""
        return await self._finder.find(operation) if has_dialect(segments) else None

    def _is_doubtful(self, segments: tuple[str, ...]) -> bool:
        """Whether a 404 may mean another dialect: of a collection it may, and of anything as long as none is known."""
        return is_collection(segments) or not self._finder.is_settled

    def _request(self, asked: _Asked, dialect: Dialect | None) -> httpx2.Request:
        headers = {"authorization": f"Bearer {self._credentials.bearer(current_caller.get())}"}
        if asked.json is not None:
            headers["content-type"] = "application/json"
        spoken = dialect or Dialect.CURRENT
        return self._client.build_request(
            asked.method,
            address(
                f"{self._base}/{contained(path(spoken, asked.segments))}",
                tuple(to_wire(spoken, asked.params).items()) if asked.params else (),
            ),
            content=orjson.dumps(to_wire(spoken, asked.json)) if asked.json is not None else None,
            headers={**headers, **asked.headers},
        )

    async def _exchange(self, asked: _Asked, operation: Operation, dialect: Dialect | None) -> Reply:
        """The answer, whatever its status; of a read that failed on the way, that of the next try."""
        request, more = self._request(asked, dialect), self._retries if asked.method in SAFE else 0
        tries = Tries(more, self.protection.seconds[operation], self.breakers[operation])
        paused = partial(self._observe, operation.value, "retry")
        while True:
            watch = Watch()
            try:
                reply = await self._try(request, operation, dialect, watch, tries.seconds)
            except GatewayError:
                if not await tries.again(watch, paused):
                    raise
            else:
                if not await tries.again(watch, paused):
                    return reply

    async def _try(
        self, request: httpx2.Request, operation: Operation, dialect: Dialect | None, watch: Watch, seconds: float
    ) -> Reply:
        with watched(self._observe, operation.value, watch), failures(operation.value, watch):
            async with self.protection.slot(operation), self.protection.attempt(operation, seconds) as call:
                reply = await self._send(request, dialect)
                call.verdict = judge_reply(reply)
            watch.saw(reply)
            return reply

    async def _send(self, request: httpx2.Request, dialect: Dialect | None) -> Reply:
        response = await self._client.send(request, stream=True)
        async with aclosing(response):
            return await read_reply(response, dialect)

    async def _open(self, request: httpx2.Request, operation: Operation, dialect: Dialect | None) -> _Opened | Reply:
        """What the breaker counts now is a refusal or a fault; a stream is kept, and counted by its end."""
        async with self.protection.attempt(operation, self.protection.seconds[operation]) as call:
            response = await self._client.send(request, stream=True)
            if is_stream(response):
                call.is_kept = True
                return _Opened(response, call, dialect)
            async with aclosing(response):
                reply = await read_reply(response, dialect)
            if response.is_success and not isinstance(reply.body, Mapping):
                raise UnreadableAnswer("the answer is neither a stream nor an object")
            call.verdict = judge_reply(reply)
            return reply

    async def _events(
        self, opened: _Opened, operation: Operation, watch: Watch
    ) -> AsyncGenerator[Mapping[str, Any], None]:
        try:
            with failures(operation.value, watch):
                async with aclosing(read_events(opened.response, opened.dialect, idle=self._idle)) as events:
                    async for event in events:
                        self.breakers[operation].free(opened.call)
                        if is_end(event):
                            opened.verdict, watch.outcome = Verdict.OK, class_of(opened.response.status_code)
                        yield event
        except (Timeout, ServiceUnavailable):
            opened.verdict = Verdict.FAULT
            raise

    def _settle(self, operation: Operation, opened: _Opened) -> None:
        self.breakers[operation].settle(opened.call, opened.verdict)


async def _one(body: Any) -> AsyncGenerator[Mapping[str, Any], None]:
    yield body


def _successful(reply: Reply) -> Any:
    if httpx2.codes.is_redirect(reply.status):
        raise ServiceUnavailable(MOVED)
    if reply.status >= httpx2.codes.BAD_REQUEST:
        raise refusal(reply.status, reply.body, reply.retry_after)
    return reply.body
