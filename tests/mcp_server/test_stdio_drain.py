"""The end of the input is waited out until every request has its answer, and no longer than the patience lasts."""

import asyncio

import anyio
import mcp_types as types
import pytest
from mcp.shared.message import SessionMessage

from mcp_server.stdio_drain import Unanswered, relay

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


def test_a_request_is_waited_for() -> None:
    unanswered = Unanswered()
    assert not waits(unanswered)

    unanswered.heard(ASKED)

    assert waits(unanswered)


@pytest.mark.parametrize("answer", [ANSWERED, REFUSED])
def test_an_answer_settles_its_request(answer: SessionMessage) -> None:
    unanswered = Unanswered()
    unanswered.heard(ASKED)

    unanswered.said(answer)

    assert not waits(unanswered)


def test_a_request_that_is_cancelled_is_not_waited_for() -> None:
    unanswered = Unanswered()
    unanswered.heard(ASKED)

    unanswered.heard(CANCELLED)

    assert not waits(unanswered)


def test_a_notification_settles_nothing() -> None:
    unanswered = Unanswered()
    unanswered.heard(ASKED)

    unanswered.said(PROGRESS)

    assert waits(unanswered)


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
