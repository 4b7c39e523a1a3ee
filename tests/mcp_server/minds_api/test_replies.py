"""Whole answers: bounded, JSON, and in today's words whatever they weigh."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any, cast

import httpx2
import orjson
import pytest

from mcp_server.errors import ServiceUnavailable, Timeout
from mcp_server.minds_api.dialect import Dialect
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
        (
            httpx2.Response(429, headers={"retry-after": "Sun, 06 Nov 1994 08:49:37 GMT"}),
            Reply(429, None, 0),
        ),
    ],
)
async def test_a_reply_is_the_status_and_what_can_be_used_of_the_body(response: httpx2.Response, reply: Reply) -> None:
    await read_reply(response, CURRENT)

    assert response.extensions["reply"] == reply
    assert response.extensions["retry_after"] == reply.retry_after


async def test_a_success_that_is_not_json_is_a_fault() -> None:
    with pytest.raises(httpx2.RemoteProtocolError):
        await read_reply(httpx2.Response(200, content=b"<html>"), CURRENT)


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


DONE = b'data: {"type":"done"}\n\n'


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
