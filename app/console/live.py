"""`POST /widget/live`: what a widget watches, as server-sent events, for whoever holds the token of one tool call."""

import time
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from secrets import token_hex
from typing import Any

import jwt
import orjson
from pydantic import SecretStr
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from app.console.calls import CallRefused, ToolCalls, content_of
from app.console.streams import HEADERS, Streams
from mcp_server.caller import current_caller
from mcp_server.errors import RateLimitExceeded
from mcp_server.toolkit.widgets import LIVE, LIVE_PATH
from mcp_server.toolset import Tool

AUDIENCE = "minds-widget"
OPEN = {"access-control-allow-origin": "*", "cache-control": "no-store"}
"""A widget has no origin of its own. It shows no cookie, only the token that stands in the body."""

Holds = Callable[[str, str], Awaitable[bool]]
"""Whether this account is enabled, and the app or key of this id still allowed to act for it."""


class WidgetLive:
    """Makes the tokens, each good for as many `seconds`, and answers to them with a stream that ends with its token."""

    def __init__(
        self,
        secret: SecretStr,
        site_url: str,
        calls: ToolCalls,
        tools: Mapping[str, Tool],
        holds: Holds,
        streams: Streams,
        *,
        seconds: float = 300,
        now: Callable[[], float] = time.time,
    ) -> None:
        self._secret, self._url, self._calls, self._tools = secret, f"{site_url}{LIVE_PATH}", calls, tools
        self._holds, self._streams, self._seconds, self._now = holds, streams, seconds, now
        self.route = Route(LIVE_PATH, self, methods=["POST"])

    def token(self, tool: str, arguments: Mapping[str, Any]) -> dict[str, Any] | None:
        """Where the caller's widget may read what `tool` tells of `arguments`, and what it shows there, for `_meta`.

        None where nobody is signed in, and for a key of a real API, which is kept nowhere.
        """
        caller = current_caller.get()
        if (
            caller.owner is None
            or caller.client_id is None
            or (self._calls.linked_key is not None and caller.kind != "oauth")
        ):
            return None
        claims = {
            "aud": AUDIENCE,
            "sub": caller.subject,
            "exp": int(self._now() + self._seconds),
            "jti": token_hex(8),
            "client": caller.client_id,
            "tool": tool,
            "arguments": dict(arguments),
        }
        return {LIVE: {"url": self._url, "token": jwt.encode(claims, self._secret.get_secret_value(), "HS256")}}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One stream. Its answers are read by pages of any origin, so refusals are written here and not at the edge."""
        claims = self._claims(await Request(scope, receive).body())
        if claims is None or not await self._holds(claims["sub"], claims["client"]):
            await PlainTextResponse("The token is not good, or not any more.", 401, OPEN)(scope, receive, send)
            return
        try:
            stream = self._streams.response(claims["sub"], partial(self._look, claims), {**HEADERS, **OPEN})
            await stream(scope, receive, send)
        except RateLimitExceeded as refused:
            headers = {**OPEN, "retry-after": str(refused.retry_after)}
            await PlainTextResponse("Too many widgets are watching.", 429, headers)(scope, receive, send)

    async def _look(self, claims: Mapping[str, Any]) -> tuple[str, str]:
        """When the token ends, the widget goes on by calls of its own, whose failures its host shows."""
        if self._now() >= claims["exp"] or not await self._holds(claims["sub"], claims["client"]):
            raise CallRefused("PERMISSION_DENIED", "The token has ended.", {})
        tool = self._tools[claims["tool"]]
        same: dict[str, Any] = {"scopes": tool.scopes, "client_id": claims["client"], "charged": False}
        content = content_of(await self._calls.call(claims["sub"], tool.name, claims["arguments"], **same))
        return orjson.dumps(content).decode(), "done" if is_over(content) else ""

    def _claims(self, token: bytes) -> dict[str, Any] | None:
        try:
            claims: dict[str, Any] = jwt.decode(
                token,
                self._secret.get_secret_value(),
                algorithms=["HS256"],
                audience=AUDIENCE,
                options={"require": ["exp", "sub", "jti"], "verify_exp": False},
            )
        except jwt.InvalidTokenError:
            return None
        is_good = claims["exp"] > self._now() and claims.get("tool") in self._tools
        return claims if is_good else None


def is_over(content: Mapping[str, Any]) -> bool:
    """Whether later looks would tell the same: a training that has ended, or questions that all are answered."""
    if "questions" in content:
        return all(each["status"] != "processing" for each in content["questions"])
    return content.get("pollAfterMs") is None
