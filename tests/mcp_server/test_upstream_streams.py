"""An answer event by event, over real connections: it comes as it is made, and its end is never mistaken."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import httpx2
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
from tests.edge import within
from tests.loopback import Loopback, reply, serving
from tests.mcp_server.outside import Observed, way_out
from tests.support import FakeApi, Reply

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
    api.answers["POST /panels/1/ask"] = Reply({"status": "queued"})

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


async def test_a_stream_that_does_not_open_is_a_timeout() -> None:
    async def never(_writer: asyncio.StreamWriter) -> None:
        await asyncio.Event().wait()

    async with asking(never, timeout_chat=0.05, breaker_failures=1) as (out, _):
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
