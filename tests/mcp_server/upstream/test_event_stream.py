"""Events are read as they arrive, bounded in size and silence; how a stream ended is known once, and by everybody."""

import asyncio
from collections.abc import AsyncIterator, Sequence

import httpx2
import pytest

from mcp_server.upstream.event_stream import MAX_EVENT_BYTES, MAX_STREAM_BYTES, OpenStream, may_stay_open, read_events
from mcp_server.upstream.failure_mapping import Abandoned, UnreadableAnswer

HEAD = {"content-type": "text/event-stream"}
REQUEST = httpx2.Request("GET", "http://api.test/")
EVENT = b"event: a\ndata: one\n\n"


class Parts(httpx2.AsyncByteStream):
    """A body in pieces; one that is None never comes, and an exception is raised."""

    def __init__(self, parts: Sequence[bytes | Exception | None]) -> None:
        self.parts, self.taken = parts, 0

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for part in self.parts:
            self.taken += 1
            if part is None:
                await asyncio.Event().wait()
            if isinstance(part, Exception):
                raise part
            yield part or b""


def opened(
    *parts: bytes | Exception | None, idle: float | None = None
) -> tuple[httpx2.Response, OpenStream, list[Exception | None]]:
    ends: list[Exception | None] = []
    stream = OpenStream(Parts(parts), ends.append)
    stream.idle = idle
    response = httpx2.Response(200, headers=HEAD, stream=stream, request=REQUEST)
    return response, stream, ends


async def read(response: httpx2.Response, *, quiet: float = 60) -> tuple[list[str], type[BaseException] | None]:
    events = []
    try:
        async for event in read_events(response, quiet=quiet):
            events.append(event.data)  # noqa: PERF401  what came before a fault counts
    except (TimeoutError, httpx2.TransportError) as error:
        return events, type(error)
    return events, None


@pytest.mark.parametrize(
    ("parts", "events"),
    [
        ([b"data: a\ndata: b\r\n\r\n", b": ping\n\n", b"data: c\n\n"], ["a\nb", "c"]),
        ([b"data: a\r", b"\n\r", b"\ndata:b\r\r", b"\n"], ["a", "b"]),
        ([b"da", b"ta: \xe6", b"\x97\xa5\n", b"\n"], ["日"]),
        ([b"id: 1\nretry: 5\n\ndata\n\n"], []),
        ([b"data: a\n\ndata: cut"], ["a"]),
    ],
)
async def test_events_are_read_from_bytes_that_arrive_in_any_pieces(parts: list[bytes], events: list[str]) -> None:
    response, _, ends = opened(*parts)

    assert await read(response) == (events, None)
    assert ends == [None]


@pytest.mark.parametrize(
    ("parts", "fault"),
    [
        ([httpx2.ReadError("x")], httpx2.ReadError),
        ([None], TimeoutError),
        ([b"data: " + b"x" * MAX_EVENT_BYTES], httpx2.SSEError),
        ([b"data: " + b"x" * (MAX_STREAM_BYTES // 64) + b"\n\n"] * 65, UnreadableAnswer),
    ],
    ids=["broken", "silent", "a huge event", "too much"],
)
async def test_silence_and_size_are_bounded(parts: list[bytes | Exception | None], fault: type[Exception]) -> None:
    response, _, _ = opened(EVENT, *parts, idle=0.05)

    events, ended = await read(response)

    assert (events[0], ended) == ("one", fault)


async def test_a_stream_of_comments_alone_is_given_up() -> None:
    async def beating() -> AsyncIterator[bytes]:
        yield EVENT
        while True:
            await asyncio.sleep(0)
            yield b": ping\n\n"

    response = httpx2.Response(200, headers=HEAD, content=beating(), request=REQUEST)

    assert await read(response, quiet=0.05) == (["one"], TimeoutError)


async def test_each_end_of_a_stream_is_known_once() -> None:
    whole, _, ends = opened(EVENT)
    await whole.aread()
    await whole.aclose()
    assert ends == [None]

    left, _, ends = opened(EVENT, EVENT)
    await left.aclose()
    assert [type(end) for end in ends] == [Abandoned]

    broken, _, ends = opened(EVENT, httpx2.ReadError("x"))
    await read(broken)
    await broken.aclose()
    assert [type(end) for end in ends] == [httpx2.ReadError]


async def test_a_reader_that_knows_the_last_event_decides_what_is_whole() -> None:
    cut, stream, ends = opened(EVENT)
    stream.is_whole = False
    await cut.aread()
    assert [type(end) for end in ends] == [httpx2.RemoteProtocolError]

    enough, stream, ends = opened(EVENT, None)
    stream.is_whole = True
    await enough.aclose()
    assert ends == [None]

    unusable, stream, ends = opened(EVENT)
    stream.fail(error := httpx2.RemoteProtocolError("no JSON"))
    await unusable.aread()
    assert ends == [error]


@pytest.mark.parametrize(
    ("status", "kind", "wanted", "stays_open"),
    [
        (200, "text/event-stream", True, True),
        (200, "Text/Event-Stream; charset=utf-8", True, True),
        (200, "application/json", True, False),
        (500, "text/event-stream", True, False),
        (302, "text/event-stream", True, False),
        (200, "text/event-stream", None, False),
        (200, "text/plain; charset=utf-8", "any", True),
        (200, "", "any", True),
        (500, "text/plain", "any", False),
    ],
)
def test_a_stream_is_known_by_its_head_and_by_what_was_asked_for(
    status: int, kind: str, wanted: object, stays_open: bool
) -> None:
    assert may_stay_open(httpx2.Response(status, headers={"content-type": kind}), wanted) is stays_open
