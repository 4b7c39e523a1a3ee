"""What changes while somebody looks at it, as server-sent events: of a page, or of a widget.

`POST /widget/live` tells what a widget watches, for whoever holds the token of one tool call.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from secrets import token_hex
from typing import Any

import jwt
import orjson
from pydantic import SecretStr
from starlette.requests import Request
from starlette.responses import PlainTextResponse, StreamingResponse
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from app.console.calls import CallRefused, ToolCalls, content_of
from app.http.rate_limits import ConcurrencyLimit
from mcp_server.caller import Caller, current_caller
from mcp_server.errors import RateLimitExceeded
from mcp_server.request_context import current_context
from mcp_server.toolkit.widgets import LIVE, LIVE_PATH
from mcp_server.toolset import Tool

FIRST, PAUSE = 0.5, 2.0  # seconds between looks, which become longer
MOST_LOOKS = 150  # the longest stream is some five minutes; browsers open the next one by themselves
MOST_STREAMS = 16  # of one person
PASSING = frozenset({"RATE_LIMIT_EXCEEDED", "SERVICE_UNAVAILABLE", "CIRCUIT_BREAKER_OPEN", "TIMEOUT"})
BEGIN = b"retry: 2000\n\n"
HEADERS = {"cache-control": "no-store", "x-accel-buffering": "no"}  # proxies pass each event on at once

Headers = Mapping[str, str]
Look = Callable[[], Awaitable[tuple[str, str]]]
"""What is to be seen now, and the event that ends it, if one does: `done` loads a page again, `end` leaves it."""

AUDIENCE = "minds-widget"
OPEN = {"access-control-allow-origin": "*", "cache-control": "no-store"}
"""A widget has no origin of its own. It shows no cookie, only the token that stands in the body."""

Holds = Callable[[str, str], Awaitable[bool]]
"""Whether this account is enabled, and the app or key of this id still allowed to act for it."""


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


@dataclass(eq=False)
class WidgetLive:
    """Makes the tokens, each good for as many `seconds`, and answers to them with a stream that ends with its token."""

    secret: SecretStr
    site_url: str
    calls: ToolCalls
    tools: Mapping[str, Tool]
    holds: Holds
    streams: Streams
    seconds: float = 300
    now: Callable[[], float] = time.time

    @property
    def route(self) -> Route:
        return Route(LIVE_PATH, self, methods=["POST"])

    def token(self, tool: str, arguments: Mapping[str, Any]) -> dict[str, Any] | None:
        """Where the caller's widget may read what `tool` tells of `arguments`, and what it shows there, for `_meta`.

        None where nobody is signed in, and for a key of a real API, which is kept nowhere.
        """
        caller = current_caller.get()
        if (
            caller.owner is None
            or caller.client_id is None
            or (self.calls.linked_key is not None and caller.kind != "oauth")
        ):
            return None
        claims = {
            "aud": AUDIENCE,
            "sub": caller.subject,
            "exp": int(self.now() + self.seconds),
            "jti": token_hex(8),
            "client": caller.client_id,
            "tool": tool,
            "arguments": dict(arguments),
        }
        token = jwt.encode(claims, self.secret.get_secret_value(), "HS256")
        return {LIVE: {"url": f"{self.site_url}{LIVE_PATH}", "token": token}}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One stream. Its answers are read by pages of any origin, so refusals are written here and not at the edge."""
        claims = self._claims(await Request(scope, receive).body())
        if claims is None or not await self.holds(claims["sub"], claims["client"]):
            await PlainTextResponse("The token is not good, or not any more.", 401, OPEN)(scope, receive, send)
            return
        try:
            stream = self.streams.response(claims["sub"], partial(self._look, claims), {**HEADERS, **OPEN})
            await stream(scope, receive, send)
        except RateLimitExceeded as refused:
            headers = {**OPEN, "retry-after": str(refused.retry_after)}
            await PlainTextResponse("Too many widgets are watching.", 429, headers)(scope, receive, send)

    async def _look(self, claims: Mapping[str, Any]) -> tuple[str, str]:
        """When the token ends, the widget goes on by calls of its own, whose failures its host shows."""
        if self.now() >= claims["exp"] or not await self.holds(claims["sub"], claims["client"]):
            raise CallRefused("PERMISSION_DENIED", "The token has ended.", {})
        tool = self.tools[claims["tool"]]
        same: dict[str, Any] = {"scopes": tool.scopes, "client_id": claims["client"], "charged": False}
        content = content_of(await self.calls.call(claims["sub"], tool.name, claims["arguments"], **same))
        return orjson.dumps(content).decode(), "done" if is_over(content) else ""

    def _claims(self, token: bytes) -> dict[str, Any] | None:
        try:
            claims: dict[str, Any] = jwt.decode(
                token,
                self.secret.get_secret_value(),
                algorithms=["HS256"],
                audience=AUDIENCE,
                options={"require": ["exp", "sub", "jti"], "verify_exp": False},
            )
        except jwt.InvalidTokenError:
            return None
        is_good = claims["exp"] > self.now() and claims.get("tool") in self.tools
        return claims if is_good else None


def is_over(content: Mapping[str, Any]) -> bool:
    """Whether later looks would tell the same: a training that has ended, or questions that all are answered."""
    if "questions" in content:
        return all(each["status"] != "processing" for each in content["questions"])
    return content.get("pollAfterMs") is None
