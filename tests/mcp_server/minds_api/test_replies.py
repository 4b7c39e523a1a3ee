"""Whole answers: bounded, JSON, and in today's words whatever they weigh."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, cast

import httpx2
import orjson
import pytest

from mcp_server.errors import (
    AuthenticationRequired,
    CircuitBreakerOpen,
    PlanLimit,
    RateLimitExceeded,
    Refused,
    ServiceUnavailable,
    Timeout,
)
from mcp_server.minds_api.api import Api
from mcp_server.minds_api.dialect import Dialect
from mcp_server.minds_api.operations import Operation
from mcp_server.minds_api.refusals import Conflict, Missing
from mcp_server.minds_api.replies import (
    HEAVY_BYTES,
    MAX_RETRY_AFTER,
    Reply,
    judge_reply,
    parse,
    read_events,
    read_reply,
)
from mcp_server.upstream.event_stream import OpenStream
from mcp_server.upstream.failure_mapping import Verdict
from tests.edge import within
from tests.loopback import Loopback, reply, serving
from tests.mcp_server.outside import Observed, way_out
from tests.support import FakeApi
from tests.support import Reply as Answer

CURRENT, SPARKS = Dialect


@pytest.mark.parametrize("padding", [0, HEAVY_BYTES])
@pytest.mark.parametrize(
    ("dialect", "read"), [(CURRENT, {"minds": [1]}), (SPARKS, {"minds": [1]}), (None, {"sparks": [1]})]
)
async def test_an_answer_is_read_in_todays_words_unless_it_has_no_dialect(
    padding: int, dialect: Dialect | None, read: dict[str, list[int]]
) -> None:
    body = orjson.dumps({"sparks": [1], "name": "x" * padding})

    assert await parse(body, dialect) == {**read, "name": "x" * padding}


async def test_a_heavy_answer_does_not_hold_up_the_others() -> None:
    rows = [{"groups": [{"group": "x", "sparks": []}], "metadata": {}} for _ in range(50_000)]
    reading = asyncio.create_task(parse(orjson.dumps(rows), SPARKS))

    turns = 0
    while not reading.done():
        turns += 1
        await asyncio.sleep(0)

    assert turns > 10
    assert (await reading)[-1] == {"audiences": [{"audience": "x", "minds": []}], "metadata": {}}


@pytest.mark.parametrize(
    ("response", "reply"),
    [
        (httpx2.Response(200, content=b'{"a":1}'), Reply(200, {"a": 1})),
        (httpx2.Response(204), Reply(204, None)),
        (httpx2.Response(404, content=b"<html>"), Reply(404, None)),
        (httpx2.Response(307, content=b"<html>", headers={"location": "//["}), Reply(307, None)),
        (httpx2.Response(429, content=b"{}", headers={"retry-after": "7"}), Reply(429, {}, 7)),
        (httpx2.Response(429, headers={"retry-after": "soon"}), Reply(429, None)),
        (httpx2.Response(429), Reply(429, None)),
        (httpx2.Response(429, content=b'{"retryAfter":11}'), Reply(429, {"retryAfter": 11}, 11)),
        (httpx2.Response(429, content=b'{"data":{"retryAfter":"12"}}'), Reply(429, {"data": {"retryAfter": "12"}}, 12)),
        (httpx2.Response(429, content=b'{"data":{"retryAfter":1e400}}'), Reply(429, None)),
        (httpx2.Response(429, content=b'{"retryAfter":-1}'), Reply(429, {"retryAfter": -1})),
        (httpx2.Response(429, content=b'{"retryAfter":true}'), Reply(429, {"retryAfter": True})),
        (
            httpx2.Response(429, content=b'{"retryAfter":9}', headers={"retry-after": "7"}),
            Reply(429, {"retryAfter": 9}, 7),
        ),
        (httpx2.Response(429, headers={"retry-after": "86400"}), Reply(429, None, MAX_RETRY_AFTER)),
        (httpx2.Response(429, headers={"retry-after": "-5"}), Reply(429, None)),
        (httpx2.Response(429, headers={"retry-after": "9" * 40}), Reply(429, None)),
        (httpx2.Response(503, headers={"retry-after": "3"}), Reply(503, None, 3)),
        (httpx2.Response(500, headers={"retry-after": "3"}), Reply(500, None)),
        (
            httpx2.Response(
                429, headers={"retry-after": "Fri, 20 Nov 2026 09:00:40 GMT", "date": "Fri, 20 Nov 2026 09:00:00 GMT"}
            ),
            Reply(429, None, 40),
        ),
        (httpx2.Response(429, headers={"retry-after": "Sun, 06 Nov 1994 08:49:37 GMT"}), Reply(429, None, 0)),
    ],
)
async def test_a_reply_is_the_status_and_what_can_be_used_of_the_body(response: httpx2.Response, reply: Reply) -> None:
    await read_reply(response, response.content, CURRENT)

    assert response.extensions["reply"] == reply
    assert response.extensions["retry_after"] == reply.retry_after


async def test_a_success_that_is_not_json_is_a_fault() -> None:
    with pytest.raises(httpx2.RemoteProtocolError):
        await read_reply(httpx2.Response(200), b"<html>", CURRENT)


@pytest.mark.parametrize("word", ["model_not_found", "invalid_prompt", "unsupported_model_capability"])
@pytest.mark.parametrize("status", [500, 502, 503])
def test_a_language_model_that_fails_says_nothing_against_the_server_that_says_so(status: int, word: str) -> None:
    for said, verdict in ((word, Verdict.OK), ("database_gone", Verdict.FAULT), (None, Verdict.FAULT)):
        reply = Reply(status, {"data": {"errorType": said}} if said else None)
        assert judge_reply(httpx2.Response(status, extensions={"reply": reply})) is verdict


async def read(
    *parts: bytes | Exception, dialect: Dialect | None = CURRENT
) -> tuple[list[Any], type[BaseException] | None, type[BaseException] | None]:
    """The events, how their reading ended if it did not end well, and what the breaker is told of that."""

    async def body() -> AsyncIterator[bytes]:
        for part in parts:
            if isinstance(part, Exception):
                raise part
            yield part

    ends: list[Exception | None] = []
    inner = httpx2.Response(200, content=body()).stream
    stream = OpenStream(cast("httpx2.AsyncByteStream", inner), ends.append)
    response = httpx2.Response(
        200,
        headers={"content-type": "text/event-stream"},
        stream=stream,
        extensions={"open_stream": stream},
        request=httpx2.Request("POST", "http://api.test/"),
    )
    events, fault = [], None
    try:
        async for event in read_events(response, dialect):
            events.append(event)  # noqa: PERF401  what came before a fault counts
    except (ServiceUnavailable, Timeout) as error:
        fault = type(error)
    await response.aclose()
    return events, fault, type(ends[0]) if ends[0] else None


async def test_events_are_objects_in_todays_words_up_to_done() -> None:
    answer = b'data: {"type":"answer","sparkId":"1","groupName":"A","answer":"x"}\n\n'

    events, *faults = await read(b'data: {"type":"start","total":1}\n\n', answer, DONE, b"data: later\n\n")

    assert events == [
        {"type": "start", "total": 1},
        {"type": "answer", "mindId": "1", "audienceName": "A", "answer": "x"},
        {"type": "done"},
    ]
    assert faults == [None, None]


async def test_a_kind_that_stands_beside_the_data_is_put_into_it() -> None:
    events, *_ = await read(b'event: result\ndata: {"content":"x"}\n\nevent: x\ndata: {"type":"done"}\n\n')

    assert events == [{"type": "result", "content": "x"}, {"type": "done"}]


@pytest.mark.parametrize("ping", [b": heartbeat\n\n", b"data: null\n\n", b"data: []\n\n", b"data\n\n"])
async def test_what_is_no_object_is_passed_over(ping: bytes) -> None:
    assert await read(ping, DONE) == ([{"type": "done"}], None, None)


@pytest.mark.parametrize("kind", ["result", "error", "done"])
async def test_a_stream_may_end_when_nothing_essential_is_missing(kind: str) -> None:
    assert await read(orjson.dumps({"type": kind}).join([b"data: ", b"\n\n"])) == ([{"type": kind}], None, None)


HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
START, DONE = b'data: {"type":"start","total":1}\n\n', b'data: {"type":"done"}\n\n'
ROUTE = "/api/v1/panels/1/ask"


def chunk(data: bytes) -> bytes:
    return f"{len(data):x}\r\n".encode() + data + b"\r\n"


WHOLE = HEAD + chunk(START) + chunk(DONE) + chunk(b"")


@dataclass
class Talk:
    """A stream that the test writes, one event at a time."""

    pieces: asyncio.Queue[bytes | None] = field(default_factory=asyncio.Queue)
    left: asyncio.Event = field(default_factory=asyncio.Event)

    async def __call__(self, writer: asyncio.StreamWriter) -> None:
        writer.write(HEAD)
        try:
            while (piece := await self.pieces.get()) is not None:
                writer.write(chunk(piece))
                await writer.drain()
        finally:
            self.left.set()


@asynccontextmanager
async def asking(
    script: bytes | Callable[[asyncio.StreamWriter], Awaitable[None]], **more: Any
) -> AsyncIterator[tuple[Api, Loopback]]:
    client = httpx2.AsyncHTTPTransport(trust_env=False)
    async with (
        serving({ROUTE: script}) as here,
        way_out(client, base=here.origin, dialect=Dialect.SPARKS, **more) as out,
    ):
        yield out, here


async def ask(out: Api) -> list[str]:
    async with out.stream("POST", "studies", "1", "ask", json={"audienceIds": ["a"]}) as events:
        return [event["type"] async for event in events]


async def interrupted(out: Api) -> None:
    async with out.stream("POST", "studies", "1", "ask") as events:
        async for _event in events:
            raise TimeoutError


async def test_each_event_comes_as_soon_as_it_is_made_and_the_request_is_one_of_the_dialect() -> None:
    talk, observed = Talk(), Observed()

    async with asking(talk, observed=observed) as (out, here), out.stream("POST", "studies", "1", "ask") as events:
        talk.pieces.put_nowait(START)
        assert await within(anext(events)) == {"type": "start", "total": 1}
        talk.pieces.put_nowait(b'data: {"type":"answer",')
        talk.pieces.put_nowait(b'"sparkId":"1"}\r\n\r\n: heartbeat\n\n')
        assert await within(anext(events)) == {"type": "answer", "mindId": "1"}
        talk.pieces.put_nowait(DONE)
        assert [event async for event in events] == [{"type": "done"}]

    assert observed == [("ask", "2xx")]
    assert "accept: text/event-stream" in here.heads[0].lower()
    assert "authorization: bearer minds_ada" in here.heads[0].lower()


async def test_the_question_travels_in_the_words_of_the_dialect(api: FakeApi) -> None:
    api.answers["POST /panels/1/ask"] = Answer({"status": "queued"})

    async with (
        way_out(api, dialect=Dialect.SPARKS) as out,
        out.stream("POST", "studies", "1", "ask", json={"audienceIds": ["a"]}) as events,
    ):
        assert [event async for event in events] == [{"status": "queued"}]

    assert api.sent_json("POST /panels/1/ask") == [{"groupIds": ["a"]}]


async def test_who_leaves_in_the_middle_closes_the_connection_and_counts_against_nobody() -> None:
    observed = Observed()

    for _ in range(3):
        talk = Talk()
        async with asking(talk, observed=observed, breaker_failures=1) as (out, _):
            async with out.stream("POST", "studies", "1", "ask") as events:
                talk.pieces.put_nowait(START)
                await within(anext(events))
            for _ in range(100_000):  # a write notices only after the far end has said that it is gone
                if talk.left.is_set():
                    break
                talk.pieces.put_nowait(b": heartbeat\n\n")
                await asyncio.sleep(0.001)
            assert talk.left.is_set()
            assert out.breakers[Operation.ASK].state == "closed"

    assert observed == [("ask", "cancelled")] * 3


@pytest.mark.parametrize(
    "script",
    [
        HEAD + chunk(START),
        HEAD + chunk(START) + chunk(b""),
        HEAD + chunk(START)[:-5],
        HEAD + chunk(START) + chunk(b"data: {\n\n") + chunk(DONE),
        HEAD.replace(b"Transfer-Encoding: chunked", b"Connection: close") + START,
    ],
    ids=["the connection breaks", "it ends too early", "in an event", "no json", "a polite end"],
)
async def test_a_stream_that_breaks_off_says_so_after_what_came_and_opens_the_breaker(script: bytes) -> None:
    observed = Observed()

    async with asking(script, observed=observed) as (out, here):
        for _ in range(5):
            with pytest.raises(ServiceUnavailable):
                await ask(out)
        with pytest.raises(CircuitBreakerOpen):
            await ask(out)
        assert out.breakers[Operation.CHAT].state == "closed"

    assert len(here.heads) == 5
    assert observed == [("ask", "service_unavailable")] * 5 + [("ask", "circuit_breaker_open")]


async def test_silence_is_a_timeout_and_heartbeats_are_not_silence() -> None:
    async def beating(writer: asyncio.StreamWriter) -> None:
        writer.write(HEAD + chunk(START))
        for _ in range(12):
            await asyncio.sleep(0.1)
            writer.write(chunk(b": heartbeat\n\n"))
            await writer.drain()
        writer.write(chunk(DONE) + chunk(b""))
        await writer.drain()

    async with asking(beating, idle=1) as (out, _):
        assert await ask(out) == ["start", "done"]
    async with asking(Talk(), idle=0.05, breaker_failures=1) as (out, _):
        with pytest.raises(Timeout):
            await within(ask(out))
        assert out.breakers[Operation.ASK].state == "open"


@pytest.mark.parametrize(
    ("status", "body", "failure"),
    [
        ("400 Bad", b'{"data":{"code":"QUESTION_TOO_LONG"}}', Refused),
        ("401 No", b"{}", AuthenticationRequired),
        ("403 No", b'{"data":{"code":"PLAN_LIMIT"}}', PlanLimit),
        ("404 No", b"", Missing),
        ("409 No", b'{"data":{"code":"PANEL_MINDS_NOT_READY"}}', Conflict),
        ("413 No", b"<html>", Refused),
        ("429 No", b"", RateLimitExceeded),
        ("500 No", b"", ServiceUnavailable),
        ("200 OK", b"<html>", ServiceUnavailable),
        ("200 OK", b"[]", ServiceUnavailable),
        ("204 OK", b"", ServiceUnavailable),
    ],
)
async def test_a_refusal_before_the_stream_is_the_same_failure_as_of_a_call(
    status: str, body: bytes, failure: type[Exception]
) -> None:
    async with asking(reply(status, body), breaker_failures=1) as (out, _):
        with pytest.raises(failure):
            await ask(out)

        state = "open" if failure is ServiceUnavailable else "closed"
        assert out.breakers[Operation.ASK].state == state


async def test_what_the_reader_raises_is_the_readers() -> None:
    async with asking(WHOLE, breaker_failures=1) as (out, _):
        with pytest.raises(TimeoutError):
            await interrupted(out)
        assert out.breakers[Operation.ASK].state == "closed"
