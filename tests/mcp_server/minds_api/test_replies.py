"""Whole answers: bounded, JSON, and in today's words whatever they weigh."""

import asyncio

import httpx2
import orjson
import pytest

from mcp_server.minds_api.dialect import Dialect
from mcp_server.minds_api.replies import (
    HEAVY_BYTES,
    MAX_ANSWER_BYTES,
    MAX_RETRY_AFTER,
    Reply,
    parse,
    read_body,
    read_reply,
)

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


async def test_nothing_is_nothing() -> None:
    assert await parse(b"", CURRENT) is None


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
    assert await read_reply(response, CURRENT) == reply


@pytest.mark.parametrize("body", [b"<html>", b"x" * (MAX_ANSWER_BYTES + 1)], ids=["html", "huge"])
async def test_a_success_that_cannot_be_read_is_a_fault(body: bytes) -> None:
    with pytest.raises(httpx2.RemoteProtocolError):
        await read_reply(httpx2.Response(200, content=body), CURRENT)


async def test_a_body_is_read_up_to_its_bound() -> None:
    assert await read_body(httpx2.Response(200, content=b"abc"), 3) == b"abc"
    with pytest.raises(httpx2.RemoteProtocolError):
        await read_body(httpx2.Response(200, content=b"abcd"), 3)
