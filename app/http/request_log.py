"""One id, one log line, one count and at most one span for each request.

The query is told to none of them: it may hold codes and states. Neither is the path to spans: it may be a signed link.
"""

import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from uuid import uuid4

import structlog
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from structlog.contextvars import bound_contextvars

from app.metrics.metrics import METHODS, Metrics, area
from mcp_server.observability.redaction import redact_text
from mcp_server.observability.tracing import Span, Trace, Tracer, begin, current_request, current_trace, read

QUIET = frozenset({"/livez", "/readyz", "/metrics"})
"""Asked every few seconds by machines; logging them would bury the rest."""

FAULTS = 500
"""Statuses from here on are the service's own fault."""

_CLEAN_ID = re.compile(r"[A-Za-z0-9._:-]{1,64}")

log = structlog.get_logger(__name__)


class RequestLogMiddleware:
    """Takes a caller's `X-Request-ID` if it is short and plain, makes one otherwise, and sends it back.

    Its `traceparent` is taken over likewise. Both go along to the internal API.
    """

    def __init__(self, app: ASGIApp, metrics: Metrics, tracer: Tracer | None = None) -> None:
        self.app, self.metrics, self.tracer = app, metrics, tracer

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        request_id, given = request_id_of(headers), trace_of(headers)
        scope["request_id"] = request_id
        span = self._span(scope, given)
        status, started = 500, time.perf_counter()

        async def send_marked(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                MutableHeaders(scope=message)["x-request-id"] = request_id
            await send(message)

        self.metrics.request_began()
        with _known(request_id, span.trace if span is not None else given):
            try:
                await self.app(scope, receive, send_marked)
            finally:
                self._tell(scope, status, time.perf_counter() - started, span)

    def _span(self, scope: Scope, parent: Trace | None) -> Span | None:
        if self.tracer is None or scope["path"] in QUIET:
            return None
        method = scope["method"] if scope["method"] in METHODS else "_OTHER"
        about = {"http.request.method": method, "url.scheme": scope["scheme"], "gateway.area": area(scope["path"])}
        return self.tracer.start(f"{method} {about['gateway.area']}", "server", about, parent)

    def _tell(self, scope: Scope, status: int, seconds: float, span: Span | None) -> None:
        self.metrics.request(scope["method"], scope["path"], status, seconds)
        caller = scope.get("caller")
        if caller is not None and caller.is_anonymous:
            self.metrics.authenticated("anonymous", "valid")
        if span is not None:
            span.put("http.response.status_code", status)
            if status >= FAULTS:
                span.fail(str(status))
            span.end()
        if scope["path"] not in QUIET:
            _log(scope, status, seconds)


def request_id_of(headers: Headers) -> str:
    """The caller's, unless it is odd, or has the shape of a secret: it will stand in logs, and travels on."""
    given = headers.get("x-request-id", "")
    return given if _CLEAN_ID.fullmatch(given) and redact_text(given) == given else uuid4().hex


def trace_of(headers: Headers) -> Trace | None:
    """The trace that the caller stands in. Two of them are none (W3C Trace Context section 3.2)."""
    parents = headers.getlist("traceparent")
    return read(parents[0], ",".join(headers.getlist("tracestate"))) if len(parents) == 1 else None


@contextmanager
def _known(request_id: str, trace: Trace | None) -> Iterator[None]:
    """The trace stands in log lines when somebody asked for it: a caller with one, or an operator who collects."""
    request_token, trace_token = current_request.set(request_id), current_trace.set(trace or begin())
    shown = {"request_id": request_id} if trace is None else {"request_id": request_id, "trace_id": trace.trace_id}
    try:
        with bound_contextvars(**shown):
            yield
    finally:
        current_trace.reset(trace_token)
        current_request.reset(request_token)


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
