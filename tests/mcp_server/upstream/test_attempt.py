"""What goes along with a call of the internal API, and what is told of it."""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import aclosing

import httpx2
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_server.observability.telemetry import Telemetry
from mcp_server.observability.tracing import Trace, current_request, current_trace, read
from mcp_server.upstream.attempt import Attempts, template
from mcp_server.upstream.breaker import CircuitBreaker
from mcp_server.upstream.bulkhead import Bulkhead
from mcp_server.upstream.failure_mapping import judge
from tests.spans import KeepingTracer
from tests.support import settings

TRACE = Trace("a" * 32, "b" * 16, sampled=True, state="x=1")
URL = "https://api.example/api/v1/minds/00000000-0000-4000-8000-0000000000ff?search=secret"
Answer = Callable[[httpx2.Request], Coroutine[None, None, httpx2.Response]]


class Parts(httpx2.AsyncByteStream):
    """A body in two parts, of which the second may be a fault."""

    def __init__(self, fault: Exception | None = None) -> None:
        self.fault = fault

    async def __aiter__(self) -> AsyncIterator[bytes]:
        yield b"one"
        if self.fault is not None:
            raise self.fault
        yield b"two"


async def ok(request: httpx2.Request) -> httpx2.Response:
    return httpx2.Response(200, json=dict(request.headers))


async def ask(answer: Answer, tracer: KeepingTracer | None = None, bulkhead: Bulkhead | None = None) -> httpx2.Response:
    network, breakers = httpx2.MockTransport(answer), {"default": CircuitBreaker("api", settings())}
    attempts = Attempts(network, breakers, bulkhead or Bulkhead(settings()), judge, Telemetry(), tracer, name="The API")
    return await attempts.make(httpx2.Request("GET", URL, extensions={"stream": True}), "default", 30)


async def test_the_trace_and_the_request_id_go_along() -> None:
    trace, request = current_trace.set(TRACE), current_request.set("find-me")

    sent = (await ask(ok)).json()

    current_trace.reset(trace)
    current_request.reset(request)
    assert (sent["traceparent"], sent["tracestate"], sent["x-request-id"]) == (*TRACE.headers.values(), "find-me")
    assert "baggage" not in sent


async def test_without_a_trace_there_is_a_new_one_and_no_request_id_is_made_up() -> None:
    sent = (await ask(ok)).json()

    assert read(sent["traceparent"]) is not None
    assert "x-request-id" not in sent


async def test_a_span_is_the_parent_of_what_happens_upstream_and_shows_no_id_and_no_query() -> None:
    tracer, token = KeepingTracer(), current_trace.set(TRACE)

    sent = (await ask(ok, tracer)).json()

    current_trace.reset(token)
    (span,) = tracer.spans
    assert (span.name, span.kind, span.parent, span.ends) == ("GET /api/v1/minds/{id}", "client", TRACE, 1)
    assert sent["traceparent"].split("-")[2] == span.trace.span_id
    assert span.about["http.response.status_code"] == 200
    assert "secret" not in str(span)
    assert "0000000000ff" not in str(span)


async def test_a_refusal_is_a_fault_of_the_span() -> None:
    tracer = KeepingTracer()

    async def refuse(_request: httpx2.Request) -> httpx2.Response:
        return httpx2.Response(404)

    await ask(refuse, tracer)

    assert tracer.spans[0].fault == "404"


async def test_a_request_is_under_way_until_its_answer_is_read() -> None:
    bulkhead, tracer = Bulkhead(settings()), KeepingTracer()

    async def slowly(_request: httpx2.Request) -> httpx2.Response:
        return httpx2.Response(200, headers={"content-type": "text/event-stream"}, stream=Parts())

    async with aclosing(await ask(slowly, tracer, bulkhead)) as response:
        under_way = bulkhead.running, tracer.spans[0].ends
        await response.aread()

    assert under_way == (1, 0)
    assert (bulkhead.running, tracer.spans[0].ends, tracer.spans[0].fault) == (0, 1, None)


@pytest.mark.parametrize("fault", [httpx2.ConnectError("the-inside"), httpx2.ReadTimeout("the-inside")])
async def test_what_breaks_ends_once_and_is_told_by_its_class_alone(fault: Exception) -> None:
    bulkhead, tracer = Bulkhead(settings()), KeepingTracer()

    async def break_at_once(_request: httpx2.Request) -> httpx2.Response:
        raise fault

    async def break_later(_request: httpx2.Request) -> httpx2.Response:
        return httpx2.Response(200, stream=Parts(fault))

    for answer in (break_at_once, break_later):
        with pytest.raises(type(fault)):
            await ask(answer, tracer, bulkhead)

    assert [(span.fault, span.ends) for span in tracer.spans] == [(type(fault).__name__, 1)] * 2
    assert bulkhead.running == 0
    assert "the-inside" not in str(tracer.spans)


async def test_a_caller_who_leaves_ends_the_request() -> None:
    bulkhead, begun = Bulkhead(settings()), asyncio.Event()

    async def hang(_request: httpx2.Request) -> httpx2.Response:
        begun.set()
        await asyncio.Event().wait()
        raise AssertionError

    task = asyncio.create_task(ask(hang, None, bulkhead))
    await begun.wait()
    task.cancel()
    await asyncio.wait([task])

    assert bulkhead.running == 0


@pytest.mark.parametrize(
    ("path", "shown"),
    [
        ("/api/v1/minds", "/api/v1/minds"),
        ("/api/v1/openapi.json", "/api/v1/openapi.json"),
        ("/api/v1/minds/0f3c/chat", "/api/v1/minds/{id}/chat"),
        ("/api/v1/studies/Ada/ask", "/api/v1/studies/{id}/ask"),
        ("/api/v1/auth/me", "/api/v1/auth/me"),
    ],
)
def test_of_a_path_only_the_words_of_the_api_are_told(path: str, shown: str) -> None:
    assert template(path) == shown


@given(st.uuids(), st.from_regex(r"minds_[0-9a-f]{48}", fullmatch=True))
def test_neither_an_id_nor_a_key_is_a_word(identity: object, key: str) -> None:
    assert template(f"/api/v1/minds/{identity}/{key}") == "/api/v1/minds/{id}/{id}"
