"""The innermost transport: where each request stands in its trace goes along, and nothing else does.

It stands below retries, so that each attempt is a request and a span of its own.
"""

import re
import sys
from collections.abc import Mapping
from functools import partial
from typing import cast

import httpx2

from mcp_server.observability.telemetry import Telemetry
from mcp_server.observability.tracing import Span, Tracer, begin, current_request, current_trace
from mcp_server.upstream.event_stream import OpenStream
from mcp_server.upstream.failure_mapping import Abandoned
from mcp_server.upstream.layer import Layer

_MOST_PARTS = 8
_WORD = re.compile(r"v1|[a-z.-]{0,24}")


class TracingTransport(Layer):
    """Adds `traceparent`, `tracestate` and `X-Request-ID`; makes a client span where there is a tracer.

    Each response that is still coming has an `OpenStream`, by which the transports around this one learn of its end.
    """

    def __init__(self, inner: httpx2.AsyncBaseTransport, telemetry: Telemetry, tracer: Tracer | None = None) -> None:
        super().__init__(inner)
        self._telemetry, self._tracer = telemetry, tracer

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        span = self._span(request, self._tracer) if self._tracer is not None else None
        trace = current_trace.get() or begin()
        request.headers.update((span.trace if span is not None else trace).headers)
        if (identity := current_request.get()) is not None:
            request.headers["x-request-id"] = identity
        self._telemetry.upstream_began()
        response = None
        try:
            response = await self._inner.handle_async_request(request)
        finally:
            if response is None:
                self._end(span, sys.exception())
        if span is not None:
            span.put("http.response.status_code", response.status_code)
            if response.is_error:
                span.fail(str(response.status_code))
        if response.is_closed:  # it was whole from the beginning, and nobody will close it
            self._end(span)
        else:
            stream = OpenStream(cast("httpx2.AsyncByteStream", response.stream), partial(self._end, span))
            response.stream = response.extensions["open_stream"] = stream
        return response

    def _end(self, span: Span | None, fault: BaseException | None = None) -> None:
        self._telemetry.upstream_ended()
        if span is not None:
            if fault is not None and not isinstance(fault, Abandoned):
                span.fail(type(fault).__name__)
            span.end()

    def _span(self, request: httpx2.Request, tracer: Tracer) -> Span:
        about: Mapping[str, str | int] = {
            "http.request.method": request.method,
            "server.address": request.url.host,
            "server.port": request.url.port or (443 if request.url.scheme == "https" else 80),
            "url.template": template(request.url.path),
        }
        return tracer.start(f"{request.method} {about['url.template']}", "client", about, current_trace.get())


def template(path: str) -> str:
    """A path without what differs from call to call: words of the API stand, all else is `{id}`.

    Such words are short and in lower-case letters; ids have digits, and names that people chose are never in paths.
    """
    parts = path.split("/")[:_MOST_PARTS]
    return "/".join(part if _WORD.fullmatch(part) else "{id}" for part in parts)
