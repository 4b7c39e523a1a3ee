"""Every line is handed on or answered; none is dropped, and none is too long to survive."""

import asyncio
import io
from typing import Any

import anyio
import mcp_types as types
import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp.shared.message import SessionMessage

from mcp_server.protocol.stdio_lines import Unanswered, read_messages, relay

PING = b'{"jsonrpc":"2.0","id":1,"method":"ping"}'


async def read(raw: bytes, **options: int) -> tuple[list[Any], list[Any]]:
    """What is handed on, and what is answered; both in the form of the wire."""
    incoming, received = anyio.create_memory_object_stream[SessionMessage | Exception](100)
    answered: list[SessionMessage] = []

    async def answer(message: SessionMessage) -> None:
        answered.append(message)

    await read_messages(io.BytesIO(raw), incoming, answer, Unanswered(0), **options)
    async with received:
        return [_wire(message) async for message in received], [_wire(message) for message in answered]


def _wire(message: SessionMessage | Exception) -> Any:
    assert isinstance(message, SessionMessage)
    return orjson.loads(message.message.model_dump_json(by_alias=True, exclude_unset=True))


def faults(answered: list[Any]) -> list[tuple[Any, int, str]]:
    return [(one["id"], one["error"]["code"], one["error"]["data"]["code"]) for one in answered]


async def test_a_message_is_handed_on_as_it_was_sent() -> None:
    sent = {
        "jsonrpc": "2.0",
        "id": "a",
        "method": "tools/call",
        "params": {"name": "x", "arguments": {"text": "ü\u2028"}},
    }

    received, answered = await read(orjson.dumps(sent) + b"\r\n")

    assert (received, answered) == ([sent], [])


@pytest.mark.parametrize("end", [b"", b"\n", b"\r\n"])
async def test_a_line_may_be_as_long_as_the_limit(end: bytes) -> None:
    received, answered = await read(PING + end, max_line=len(PING) + len(end[:-1]))

    assert (len(received), answered) == (1, [])


@pytest.mark.parametrize("filling", [b"x", b" "])
async def test_a_line_that_is_longer_is_refused_once_and_passed_over(filling: bytes) -> None:
    received, answered = await read(filling * 200_000 + b"\n" + PING + b"\n", max_line=100)

    assert faults(answered) == [(None, -32600, "BODY_TOO_LARGE")]
    assert len(received) == 1


class Endless(io.RawIOBase):
    """A line without an end; counts what was read of it before somebody said stop."""

    def __init__(self) -> None:
        self.given, self.stopped = 0, False

    def readline(self, size: int | None = -1, /) -> bytes:
        assert size is not None
        assert size > 0
        if self.stopped:
            return b""
        self.given += size
        return b"x" * size


async def test_a_line_without_an_end_is_refused_as_soon_as_it_is_too_long() -> None:
    source, at = Endless(), list[int]()
    incoming, received = anyio.create_memory_object_stream[SessionMessage | Exception](1)

    async def answer(_message: SessionMessage) -> None:
        at.append(source.given)
        source.stopped = True

    async with received:
        await read_messages(source, incoming, answer, Unanswered(0), max_line=1_000)  # type: ignore[arg-type]  # raw will do

    assert at == [1_001]


@given(st.lists(st.binary(max_size=60) | st.sampled_from([PING, b"[]", b'{"jsonrpc":"2.0","id":2}'])))
async def test_whatever_comes_each_line_is_a_message_or_an_error(lines: list[bytes]) -> None:
    raw = b"\n".join(lines)

    received, answered = await read(raw)

    wanted = [line for line in raw.split(b"\n") if line.strip(b" \t\n\r\x0b\f")]
    assert len(received) + len(answered) == len(wanted)
    assert len(received) == sum(line.strip() == PING for line in wanted)


ASKED = SessionMessage(types.JSONRPCRequest(jsonrpc="2.0", id=1, method="tools/call", params={}))
ANSWERED = SessionMessage(types.JSONRPCResponse(jsonrpc="2.0", id=1, result={}))
REFUSED = SessionMessage(
    types.JSONRPCError(jsonrpc="2.0", id=1, error=types.ErrorData(code=-32603, message="no", data=None))
)
CANCELLED = SessionMessage(
    types.JSONRPCNotification(jsonrpc="2.0", method="notifications/cancelled", params={"requestId": 1})
)
PROGRESS = SessionMessage(types.JSONRPCNotification(jsonrpc="2.0", method="notifications/progress", params={}))


def waits(unanswered: Unanswered) -> bool:
    return not unanswered._settled.is_set()


@pytest.mark.parametrize(
    ("answered", "cancelled", "is_waited_for"),
    [([], [], True), ([PROGRESS], [], True), ([ANSWERED], [], False), ([REFUSED], [], False), ([], [CANCELLED], False)],
    ids=["asked", "progress", "answered", "refused", "cancelled"],
)
def test_a_request_is_waited_for_until_it_is_answered_or_cancelled(
    answered: list[SessionMessage], cancelled: list[SessionMessage], is_waited_for: bool
) -> None:
    unanswered = Unanswered()

    for message in [ASKED, *cancelled]:
        unanswered.heard(message)
    for message in answered:
        unanswered.said(message)

    assert waits(unanswered) is is_waited_for


async def test_the_patience_ends() -> None:
    unanswered = Unanswered(0.01)
    unanswered.heard(ASKED)

    await unanswered.settle()

    assert waits(unanswered)


async def test_everything_is_handed_on_in_order_and_noted() -> None:
    unanswered = Unanswered()
    unanswered.heard(ASKED)
    speak, spoken = anyio.create_memory_object_stream[SessionMessage](0)
    write, written = anyio.create_memory_object_stream[SessionMessage](10)
    task = asyncio.create_task(relay(spoken, write, unanswered))

    async with speak:
        await speak.send(PROGRESS)
        await speak.send(ANSWERED)
    await task

    async with written:
        assert [message async for message in written] == [PROGRESS, ANSWERED]
    assert not waits(unanswered)
