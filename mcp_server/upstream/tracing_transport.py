"""Around the network towards the internal API: where each call stands in its trace goes along, and nothing else does.

It stands below retries, so that each attempt is a request and a span of its own.
"""

from collections.abc import AsyncIterator, Mapping
from types import TracebackType
from typing import Self, cast

import httpx2

from mcp_server.observability.telemetry import Telemetry
from mcp_server.observability.tracing import Span, Tracer, begin, current_request, current_trace


class TracingTransport(httpx2.AsyncBaseTransport):
    """Adds `traceparent`, `tracestate` and `X-Request-ID`; makes a client span where there is a tracer."""

    def __init__(self, inner: httpx2.AsyncBaseTransport, telemetry: Telemetry, tracer: Tracer | None = None) -> None:
        self._inner, self._telemetry, self._tracer = inner, telemetry, tracer

    async def __aenter__(self) -> Self:
        await self._inner.__aenter__()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None = None,
        fault: BaseException | None = None,
        trace: TracebackType | None = None,
    ) -> None:
        await self._inner.__aexit__(kind, fault, trace)

    async def aclose(self) -> None:
        await self._inner.aclose()

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        span, trace = self._span(request), current_trace.get() or begin()
        request.headers.update((span.trace if span is not None else trace).headers)
        if (identity := current_request.get()) is not None:
            request.headers["x-request-id"] = identity
        watched = _Watched(self._telemetry, span)
        with watched:
            response = await self._inner.handle_async_request(request)
        watched.answered(response.status_code)
        if response.is_closed:  # it was whole from the beginning, and nobody will close it
            watched.end()
        else:
            response.stream = _Stream(cast("httpx2.AsyncByteStream", response.stream), watched)
        return response

    def _span(self, request: httpx2.Request) -> Span | None:
        if self._tracer is None:
            return None
        about: Mapping[str, str | int] = {
            "http.request.method": request.method,
            "server.address": request.url.host,
            "server.port": request.url.port or (443 if request.url.scheme == "https" else 80),
            "url.template": template(request.url.path),
        }
        return self._tracer.start(f"{request.method} {about['url.template']}", "client", about, current_trace.get())


def template(path: str) -> str:
    """A path without what differs from call to call: words of the API stand, all else is `{id}`.

    Such words are short and in lower-case letters; ids have digits, and names that people chose are never in paths.
    """
    parts = path.split("/")
    return "/".join(part if not part or _is_word(part) else "{id}" for part in parts[:_MOST_PARTS])


_MOST_PARTS, _LONGEST_WORD = 8, 24


def _is_word(part: str) -> bool:
    letters = part.replace("-", "").replace(".", "")
    return part == "v1" or (len(part) <= _LONGEST_WORD and letters.isascii() and letters.isalpha() and part.islower())


class _Watched:
    """One request until its answer is read; its end is told once. As a context it ends by a fault."""

    def __init__(self, telemetry: Telemetry, span: Span | None) -> None:
        self._telemetry, self._span, self._ended = telemetry, span, False
        telemetry.upstream_began()

    def answered(self, status: int) -> None:
        if self._span is not None:
            self._span.put("http.response.status_code", status)
            if status >= httpx2.codes.BAD_REQUEST:
                self._span.fail(str(status))

    def __enter__(self) -> None:
        """Nothing: it has begun already."""

    def __exit__(self, kind: type[BaseException] | None, fault: BaseException | None, trace: object) -> None:
        if kind is not None:
            self.end(None if kind is GeneratorExit else kind.__name__)  # who has read enough of a stream breaks nothing

    def end(self, fault: str | None = None) -> None:
        if self._ended:
            return
        self._ended = True
        self._telemetry.upstream_ended()
        if self._span is not None:
            if fault is not None:
                self._span.fail(fault)
            self._span.end()


class _Stream(httpx2.AsyncByteStream):
    """The answer's bytes; the request is over when they are closed."""

    def __init__(self, inner: httpx2.AsyncByteStream, watched: _Watched) -> None:
        self._inner, self._watched = inner, watched

    async def __aiter__(self) -> AsyncIterator[bytes]:
        with self._watched:
            async for part in self._inner:
                yield part

    async def aclose(self) -> None:
        try:
            await self._inner.aclose()
        finally:
            self._watched.end()
