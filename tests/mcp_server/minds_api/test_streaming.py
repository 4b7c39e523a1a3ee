"""Events are told one by one as objects in today's words, and a stream that is not whole says so."""

from collections.abc import AsyncIterator, Sequence
from typing import Any

import anyio
import httpx2
import orjson
import pytest

from mcp_server.minds_api.dialect import Dialect
from mcp_server.minds_api.replies import MAX_ANSWER_BYTES
from mcp_server.minds_api.streaming import MAX_STREAM_BYTES, is_end, is_stream, read_events

CURRENT, SPARKS = Dialect
DONE = b'data: {"type":"done"}\n\n'


class Parts(httpx2.AsyncByteStream):
    """A body in pieces; one that is None never comes, and an exception is raised."""

    def __init__(self, parts: Sequence[bytes | Exception | None]) -> None:
        self.parts, self.taken = parts, 0

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for part in self.parts:
            self.taken += 1
            if part is None:
                await anyio.sleep_forever()
            if isinstance(part, Exception):
                raise part
            yield part or b""


async def read(
    *parts: bytes | Exception | None, dialect: Dialect | None = CURRENT, idle: float = 60, **more: Any
) -> tuple[list[Any], type[BaseException] | None]:
    """The events, and how it ended if it did not end well."""
    events = []
    try:
        async for event in read_events(httpx2.Response(200, stream=Parts(parts)), dialect, idle=idle, **more):
            events.append(event)  # noqa: PERF401  what came before a fault counts
    except (TimeoutError, httpx2.TransportError) as error:
        return events, type(error)
    return events, None


async def test_events_are_told_in_todays_words_up_to_done() -> None:
    answer = b'data: {"type":"answer","sparkId":"1","groupName":"A","answer":"x"}\n\n'

    events, fault = await read(b'data: {"type":"start","total":1}\n\n', answer, DONE, b"data: later\n\n")

    assert events == [
        {"type": "start", "total": 1},
        {"type": "answer", "mindId": "1", "audienceName": "A", "answer": "x"},
        {"type": "done"},
    ]
    assert fault is None


async def test_nothing_is_read_after_done() -> None:
    stream = Parts([DONE, None])

    events = [event async for event in read_events(httpx2.Response(200, stream=stream), CURRENT)]

    assert (events, stream.taken) == ([{"type": "done"}], 1)


async def test_a_kind_that_stands_beside_the_data_is_put_into_it() -> None:
    events, _ = await read(b'event: result\ndata: {"content":"x"}\n\nevent: x\ndata: {"type":"done"}\n\n')

    assert events == [{"type": "result", "content": "x"}, {"type": "done"}]


@pytest.mark.parametrize("ping", [b": heartbeat\n\n", b"data: null\n\n", b"data: []\n\n", b"data\n\n"])
async def test_what_is_no_object_is_passed_over(ping: bytes) -> None:
    assert await read(ping, DONE) == ([{"type": "done"}], None)


@pytest.mark.parametrize("kind", ["result", "error", "done"])
async def test_a_stream_may_end_when_nothing_essential_is_missing(kind: str) -> None:
    assert await read(orjson.dumps({"type": kind}).join([b"data: ", b"\n\n"])) == ([{"type": kind}], None)
    assert is_end({"type": kind})
    assert not is_end({"type": "answer"})
    assert not is_end({})


@pytest.mark.parametrize(
    ("parts", "fault"),
    [
        ([], httpx2.RemoteProtocolError),
        ([b": heartbeat\n\n"], httpx2.RemoteProtocolError),
        ([b'data: {"type":"do'], httpx2.RemoteProtocolError),
        ([httpx2.ReadError("x")], httpx2.ReadError),
        ([b"data: {\n\n"], httpx2.RemoteProtocolError),
        ([None], TimeoutError),
        ([b"data: " + b"x" * MAX_ANSWER_BYTES], httpx2.RemoteProtocolError),
        ([b":" + b"x" * (MAX_STREAM_BYTES // 64) + b"\n"] * 65, httpx2.RemoteProtocolError),
    ],
    ids=["empty", "comments only", "cut", "broken", "no json", "silent", "a huge event", "too much"],
)
async def test_a_stream_that_is_not_whole_is_a_fault_after_what_came(
    parts: list[bytes | Exception | None], fault: type[Exception]
) -> None:
    events, ended = await read(b'data: {"type":"start"}\n\n', *parts, idle=0.05)

    assert events == [{"type": "start"}]
    assert ended is fault


@pytest.mark.parametrize(
    ("status", "kind", "streams"),
    [
        (200, "text/event-stream", True),
        (200, "Text/Event-Stream; charset=utf-8", True),
        (200, "application/json", False),
        (500, "text/event-stream", False),
        (302, "text/event-stream", False),
    ],
)
def test_a_stream_is_known_by_its_head(status: int, kind: str, streams: bool) -> None:
    assert is_stream(httpx2.Response(status, headers={"content-type": kind})) is streams
    assert not is_stream(httpx2.Response(status))


async def test_a_stream_of_comments_alone_is_given_up() -> None:
    moments = iter([0.0, 10.0, 10.0, 20.0, 21.0, 36.0])
    parts = [b'data: {"type":"start"}\n\n', b": heartbeat\n\n", b": heartbeat\n\n", b": heartbeat\n\n", DONE]

    assert await read(*parts, quiet=25, clock=lambda: next(moments)) == ([{"type": "start"}], TimeoutError)
