"""Standard input as messages, one a line. What is no message is refused here: the protocol library would drop it.

The end of the input is no reason to give up an answer: a shell that pipes requests in closes its end with the last of
them, and wants their answers all the same.
"""

import asyncio
import contextlib
import os
import sys
from collections.abc import Awaitable, Callable
from typing import BinaryIO

import mcp_types as types
import structlog
from anyio import to_thread
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.os.win32.utilities import rebind_std_handle_to_fd
from mcp.shared.message import SessionMessage
from pydantic import ValidationError

from mcp_server.errors import GatewayError, InvalidRequest
from mcp_server.protocol.envelope import CANCELLED, LISTEN, BodyTooLarge, parse

MAX_LINE = 4 * 1024 * 1024  # bytes of one message, as many as a body has over HTTP

SKIPPED_AT_ONCE = 65_536

PATIENCE = 130.0
"""Seconds for answers after the end of the input: a little more than the slowest tool may take."""

log = structlog.get_logger(__name__)


class Unanswered:
    """The ids of requests whose answer is still to come. `patience` is in seconds."""

    def __init__(self, patience: float = PATIENCE) -> None:
        self._patience = patience
        self._ids: set[str | int] = set()
        self._settled = asyncio.Event()
        self._settled.set()

    def heard(self, message: SessionMessage) -> None:
        """A message was read. A request that its sender cancels needs no answer any more, and a subscription none while
        it lasts.
        """
        inner = message.message
        if isinstance(inner, types.JSONRPCRequest) and inner.method != LISTEN:
            self._ids.add(inner.id)
            self._settled.clear()
        elif isinstance(inner, types.JSONRPCNotification) and inner.method == CANCELLED:
            self._forget((inner.params or {}).get("requestId"))

    def said(self, message: SessionMessage) -> None:
        """A message was written."""
        if isinstance(message.message, types.JSONRPCResponse | types.JSONRPCError):
            self._forget(message.message.id)

    async def settle(self) -> None:
        """Wait until all are answered, or the patience ends."""
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._settled.wait(), self._patience)

    def _forget(self, identity: object) -> None:
        self._ids.discard(identity)  # what was never in it is no fault
        if not self._ids:
            self._settled.set()


async def relay(
    spoken: MemoryObjectReceiveStream[SessionMessage],
    write: MemoryObjectSendStream[SessionMessage],
    unanswered: Unanswered,
) -> None:
    """Hand everything on to `write`, and note what it answers."""
    async with spoken, write:
        async for message in spoken:
            await write.send(message)
            unanswered.said(message)


def claim_input() -> BinaryIO:
    """Standard input for the protocol alone: whatever else reads it, such as a child, finds it empty."""
    private, nothing = os.dup(0), os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    if sys.platform == "win32":
        rebind_std_handle_to_fd(0)
    return os.fdopen(private, "rb", closefd=False)  # at the end a thread may still be reading it


async def read_messages(
    source: BinaryIO,
    incoming: MemoryObjectSendStream[SessionMessage | Exception],
    answer: Callable[[SessionMessage], Awaitable[None]],
    unanswered: Unanswered,
    *,
    max_line: int = MAX_LINE,
) -> None:
    """Hand on every message of `source`, and answer every line that is none, until its end and until what was asked
    has been answered.

    Refusals leave through `answer` like all other answers, so that no two of them are written at once.
    """
    async with incoming:
        while line := await to_thread.run_sync(source.readline, max_line + 1, abandon_on_cancel=True):
            too_long = len(line) > max_line and not line.endswith(b"\n")
            if line.isspace() and not too_long:
                continue
            try:
                if too_long:
                    raise BodyTooLarge(max_line)
                message = _message(line)
                unanswered.heard(message)
                await incoming.send(message)
            except GatewayError as error:
                log.warning("line_refused", code=error.name, bytes=len(line))
                # The code that both eras have for it; no other refusal is made before a message is known.
                data = types.ErrorData(code=error.code, message=error.message, data=error.data)
                await answer(SessionMessage(types.JSONRPCError(jsonrpc="2.0", id=error.request_id, error=data)))
            while too_long and (rest := await to_thread.run_sync(source.readline, SKIPPED_AT_ONCE)):
                too_long = not rest.endswith(b"\n")
        await unanswered.settle()


def _message(line: bytes) -> SessionMessage:
    envelope = parse(line)
    try:
        return SessionMessage(types.jsonrpc_message_adapter.validate_json(line, by_name=False))
    except ValidationError:
        raise InvalidRequest(request_id=envelope.id if envelope.kind == "request" else None) from None
