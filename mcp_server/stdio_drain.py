"""Requests that were read and are not answered yet: the end of the input is no reason to give up an answer.

A shell that pipes requests in closes its end with the last of them, and wants their answers all the same.
"""

import asyncio

import mcp_types as types
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.shared.message import SessionMessage

PATIENCE = 130.0
"""Seconds for answers after the end of the input: a little more than the slowest tool may take."""

CANCELLED = "notifications/cancelled"


class Unanswered:
    """The ids of requests whose answer is still to come. `patience` is in seconds."""

    def __init__(self, patience: float = PATIENCE) -> None:
        self._patience = patience
        self._ids: set[str | int] = set()
        self._settled = asyncio.Event()
        self._settled.set()

    def heard(self, message: SessionMessage) -> None:
        """A message was read. A request that its sender cancels needs no answer any more."""
        told = message.message
        if isinstance(told, types.JSONRPCRequest):
            self._ids.add(told.id)
            self._settled.clear()
        elif isinstance(told, types.JSONRPCNotification) and told.method == CANCELLED:
            self._forget((told.params or {}).get("requestId"))

    def said(self, message: SessionMessage) -> None:
        """A message was written."""
        if isinstance(message.message, types.JSONRPCResponse | types.JSONRPCError):
            self._forget(message.message.id)

    async def settle(self) -> None:
        """Wait until all are answered, or the patience ends."""
        try:
            async with asyncio.timeout(self._patience):
                await self._settled.wait()
        except TimeoutError:
            return

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
