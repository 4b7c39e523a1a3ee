"""One id and one log line for each request. The query is never logged: it may hold codes and states."""

import re
import time
from collections.abc import Callable
from uuid import uuid4

import structlog
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from structlog.contextvars import bound_contextvars

Observe = Callable[[str, int, float], None]
"""Told of each request: method, status, seconds."""

QUIET = frozenset({"/livez", "/readyz", "/metrics"})
"""Asked every few seconds by machines; logging them would bury the rest."""

_CLEAN_ID = re.compile(r"[A-Za-z0-9._:-]{1,64}")

log = structlog.get_logger(__name__)


class RequestLogMiddleware:
    """Takes a caller's `X-Request-ID` if it is short and plain, makes one otherwise, and sends it back."""

    def __init__(self, app: ASGIApp, observe: Observe) -> None:
        self.app, self.observe = app, observe

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        request_id = request_id_of(Headers(scope=scope))
        scope["request_id"] = request_id
        status, started = 500, time.perf_counter()

        async def send_marked(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                MutableHeaders(scope=message)["x-request-id"] = request_id
            await send(message)

        with bound_contextvars(request_id=request_id):
            try:
                await self.app(scope, receive, send_marked)
            finally:
                seconds = time.perf_counter() - started
                self.observe(scope["method"], status, seconds)
                if scope["path"] not in QUIET:
                    _log(scope, status, seconds)


def request_id_of(headers: Headers) -> str:
    given = headers.get("x-request-id", "")
    return given if _CLEAN_ID.fullmatch(given) else uuid4().hex


def _log(scope: Scope, status: int, seconds: float) -> None:
    envelope = scope.get("rpc")
    log.info(
        "request",
        method=scope["method"],
        path=scope["path"][:200],
        status=status,
        ms=round(seconds * 1000, 2),
        **({"rpc": envelope.method[:64], "tool": (envelope.tool_name or "")[:128]} if envelope is not None else {}),
    )
