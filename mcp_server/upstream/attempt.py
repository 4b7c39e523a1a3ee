"""One try of a request: past the breaker, with a place, within its time and in its trace; its end is told once.

A request carries its policy in `request.extensions`: `operation` (its class; there is one breaker and one time limit
for each); `stream`, where an event stream may be left open, or with "any" whatever is no refusal; `decode`, which reads
the body within the time limit; `retry_on`, the statuses after which a request is made again although its method is not
safe; and `seconds`, where they differ from the operation's own.
"""

import re
import sys
import time
from collections.abc import Mapping
from contextlib import aclosing
from dataclasses import dataclass
from functools import partial
from typing import cast

import httpx2
import structlog

from mcp_server.caller import current_caller
from mcp_server.observability.telemetry import Telemetry
from mcp_server.observability.tracing import Span, Tracer, begin, current_request, current_trace
from mcp_server.upstream.breaker import Admission, CircuitBreaker, Judge
from mcp_server.upstream.bulkhead import NOBODY, Bulkhead
from mcp_server.upstream.deadline import deadline_timeout
from mcp_server.upstream.event_stream import OpenStream, may_stay_open
from mcp_server.upstream.failure_mapping import (
    FAULTS,
    FORESEEN,
    Abandoned,
    BulkheadFull,
    UnreadableAnswer,
    Verdict,
    failure_of,
)
from mcp_server.upstream.network import whole

MAX_BODY_BYTES = 16 * 1024 * 1024
"""A body beyond this is no answer: memory stays bounded whatever the upstream sends."""

CODED = ("content-encoding", "content-length", "transfer-encoding")
"""Headers that do not describe a body any more that was decoded."""

_MOST_PARTS = 8
_WORD = re.compile(r"v1|[a-z.-]{0,24}")

log = structlog.get_logger(__name__)


class Attempts:
    """Makes tries over `network`.

    `name` is what failures call the upstream, and `label` stands before the operation in metrics. `judge` says what a
    response or a fault means for the breaker.
    """

    def __init__(
        self,
        network: httpx2.AsyncBaseTransport,
        breakers: Mapping[str, CircuitBreaker],
        bulkhead: Bulkhead,
        judge: Judge,
        telemetry: Telemetry,
        tracer: Tracer | None = None,
        *,
        name: str,
        label: str = "",
    ) -> None:
        self.network, self.telemetry, self._tracer = network, telemetry, tracer
        self._breakers, self._bulkhead, self._judge = breakers, bulkhead, judge
        self.name, self.label = name, label

    async def make(self, request: httpx2.Request, operation: str, seconds: float) -> httpx2.Response:
        """The response: whole and decoded, but for an event stream that was asked for, which must begin in time. A
        body that the request's `decode` has read is not kept.

        Raises `BreakerOpen`, `BulkheadFull`: the request was not made; `TimeoutError`: its seconds are over;
        `DeadlinePassed`: the caller's own time was over before; `httpx2.RequestError`: it failed, or its answer did.
        """
        attempt = _Attempt(operation, time.perf_counter())
        outcome: httpx2.Response | Exception | None = None
        try:
            outcome = response = await self._made(attempt, request, seconds)
        except (*FORESEEN, *FAULTS) as fault:
            outcome = fault
            raise
        finally:
            if outcome is None or isinstance(outcome, Exception) or "open_stream" not in outcome.extensions:
                self._ended(attempt, outcome)
        return response

    async def _made(self, attempt: "_Attempt", request: httpx2.Request, seconds: float) -> httpx2.Response:
        policy, breaker = request.extensions, self._breakers[attempt.operation]
        attempt.admission = breaker.admit()
        place = current_caller.get().subject or NOBODY, attempt.operation
        if not self._bulkhead.take(*place):
            await self._bulkhead.wait(*place)
        attempt.place = place
        async with deadline_timeout(seconds):
            self._begin(attempt, request)
            response = await self.network.handle_async_request(request)
            if attempt.span is not None:
                attempt.span.put("http.response.status_code", response.status_code)
            if may_stay_open(response, policy.get("stream")):
                inner, opened = cast("httpx2.AsyncByteStream", response.stream), response
                stream = OpenStream(inner, lambda error: self._ended(attempt, error or opened))
                stream.first_event = partial(breaker.release_probe, attempt.admission)
                response.stream = response.extensions["open_stream"] = stream
                response.request = request  # the reader of events wants it
                return response
            is_kept, body = response.is_closed, await _body(response)
            if (decode := policy.get("decode")) is not None:
                await decode(response, body)
            elif not is_kept:
                headers = [(name, value) for name, value in response.headers.items() if name not in CODED]
                response = httpx2.Response(response.status_code, headers=headers, content=body)
            return response

    def _begin(self, attempt: "_Attempt", request: httpx2.Request) -> None:
        """Where the request stands in its trace goes along, and nothing else does."""
        trace = current_trace.get()
        if self._tracer is not None:
            about: Mapping[str, str | int] = {
                "http.request.method": request.method,
                "server.address": request.url.host,
                "server.port": request.url.port or (443 if request.url.scheme == "https" else 80),
                "url.template": template(request.url.path),
            }
            name = f"{request.method} {about['url.template']}"
            attempt.span = self._tracer.start(name, "client", about, trace)
            trace = attempt.span.trace
        for name, value in (trace or begin()).headers.items():  # another try has another span
            request.headers[name] = value
        if (identity := current_request.get()) is not None:
            request.headers["x-request-id"] = identity

    def _ended(self, attempt: "_Attempt", outcome: httpx2.Response | Exception | None) -> None:
        """Give back what the try held, and count it, by what ended it; None is a caller who left."""
        if attempt.span is not None:
            fault = outcome if isinstance(outcome, Exception) else sys.exception()
            if isinstance(outcome, httpx2.Response) and outcome.is_error:
                attempt.span.fail(str(outcome.status_code))
            elif fault is not None and not isinstance(fault, Abandoned):
                attempt.span.fail(type(fault).__name__)
            attempt.span.end()
        if attempt.place is not None:
            self._bulkhead.leave(*attempt.place)
        if attempt.admission is not None:
            verdict = Verdict.IGNORE if outcome is None else self._judge(outcome)
            self._breakers[attempt.operation].settle(attempt.admission, verdict)
        self._observe(attempt, outcome)

    def _observe(self, attempt: "_Attempt", outcome: httpx2.Response | Exception | None) -> None:
        """Count a try; one that found no place did not get as far as that."""
        operation, word = self.label + attempt.operation, "cancelled"
        if isinstance(outcome, BulkheadFull):
            self.telemetry.bulkhead_refused(operation)
            return
        if isinstance(outcome, httpx2.RequestError):
            log.warning("upstream_unreachable", operation=attempt.operation, reason=type(outcome).__name__)
        if isinstance(outcome, httpx2.Response):
            word = f"{outcome.status_code // 100}xx"
        elif outcome is not None:
            word = failure_of(outcome, self.name)[1]
        self.telemetry.upstream(operation, word, time.perf_counter() - attempt.started)


@dataclass(slots=True)
class _Attempt:
    """What a try holds by now."""

    operation: str
    started: float
    admission: Admission | None = None
    place: tuple[str, str] | None = None
    span: Span | None = None


async def _body(response: httpx2.Response) -> bytes:
    """All of it, decoded; of a redirect nothing. Raises UnreadableAnswer: it is too large."""
    async with aclosing(response):
        if response.is_redirect:
            return b""
        body = response.content if response.is_closed else whole(response)
        if body is None:
            parts = bytearray()
            async for part in response.aiter_bytes():
                parts += part
                if len(parts) > MAX_BODY_BYTES:
                    break
            body = bytes(parts)
    if len(body) > MAX_BODY_BYTES:
        raise UnreadableAnswer("the answer is too large")
    return body


def template(path: str) -> str:
    """A path without what differs from call to call: words of the API stand, all else is `{id}`.

    Such words are short and in lower-case letters; ids have digits, and names that people chose are never in paths.
    """
    parts = path.split("/")[:_MOST_PARTS]
    return "/".join(part if _WORD.fullmatch(part) else "{id}" for part in parts)
