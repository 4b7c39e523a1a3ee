"""Exact sliding windows that processes share: one Lua script in Redis, all windows of a call or none."""

import asyncio
import hashlib
from collections import deque
from collections.abc import Callable, Sequence
from math import ceil
from pathlib import Path
from typing import Any

from redis.exceptions import NoScriptError, RedisError

from app.limits.redis_clients import Command, RedisConnection
from mcp_server.limits.decisions import Decision, Rule, StoreDown, WindowStats

SCRIPT = Path(__file__).with_name("windows.lua").read_text("utf-8")
DIGEST = hashlib.sha1(SCRIPT.encode()).hexdigest()  # noqa: S324  Redis names scripts by it
MICROSECONDS = 1_000_000
PROBE = Rule("probe", 1, 1)
BATCH = 64  # checks that travel together. Their answers fit into one read of the socket.

SLICES = 8
"""Parts of the patience. While this process is stopped, or busy, no more than one of them passes."""
TURNS = 32
"""Turns of the event loop that an answer which is in the socket needs at most; a new connection needs most."""


class RedisWindows:
    """Windows over one connection, on which concurrent checks travel together. `patience` is in seconds."""

    def __init__(self, open_connection: Callable[[], RedisConnection], patience: float) -> None:
        self._open, self._patience = open_connection, patience
        self._connection: RedisConnection | None = None
        self._waiting: deque[tuple[Command, asyncio.Future[Any]]] = deque()
        self._pump: asyncio.Task[None] | None = None
        self._closing: set[asyncio.Future[Any]] = set()

    async def hit(self, identity: str, rules: tuple[Rule, ...], cost: int = 1) -> Decision:
        """Charge all windows or none. Raises `StoreDown`: Redis is not to be had."""
        answer = asyncio.get_running_loop().create_future()
        self._waiting.append((_arguments(identity, rules, cost), answer))
        if self._pump is None:
            self._pump = asyncio.create_task(self._serve())
        reply = await answer
        if isinstance(reply, Exception):  # none, or out of memory, read-only, no permission: none is to be had there
            raise StoreDown(str(reply) if isinstance(reply, StoreDown) else type(reply).__name__)
        allowed, wait, *numbers = reply
        windows = tuple(
            WindowStats(rule, max(0, remaining), reset / MICROSECONDS)
            for rule, remaining, reset in zip(rules, numbers[::2], numbers[1::2], strict=True)
        )
        # The stamp that blocks dies when it is exactly as old as the window.
        return Decision(allowed == 1, windows, ceil(wait) / MICROSECONDS)

    async def probe(self, patience: float) -> None:
        """Connect, and count something: a replica, a full server, and a cluster without its nodes can be reached, too.

        Raises `StoreDown`: that was not done in time.
        """
        (reply,) = await self._evaluate([_arguments("probe", (PROBE,), 1)], patience)
        if isinstance(reply, Exception):
            raise StoreDown(type(reply).__name__) from reply

    async def close(self) -> None:
        if self._pump is not None:
            self._pump.cancel()
            await asyncio.gather(self._pump, return_exceptions=True)
        self._drop()
        await asyncio.gather(*self._closing, return_exceptions=True)

    async def _serve(self) -> None:
        batch: list[tuple[Command, asyncio.Future[Any]]] = []
        down = StoreDown("closing")
        try:
            while self._waiting:
                batch = [self._waiting.popleft() for _ in range(min(BATCH, len(self._waiting)))]
                replies = await self._evaluate([command for command, _ in batch], self._patience)
                for (_, answer), reply in zip(batch, replies, strict=True):
                    if not answer.done():  # else who asked has left
                        answer.set_result(reply)
        except StoreDown as fault:
            down = fault
        finally:  # whatever ended this, nobody is left waiting
            for _, answer in (*batch, *self._waiting):
                if not answer.done():
                    answer.set_result(down)
            self._waiting.clear()
            self._pump = None

    async def _evaluate(self, batch: Sequence[Command], patience: float) -> list[Any]:
        replies = await self._ask([("EVALSHA", DIGEST, *arguments) for arguments in batch], patience)
        unknown = [index for index, reply in enumerate(replies) if isinstance(reply, NoScriptError)]
        if unknown:  # the server was restarted, flushed, or is another one now; EVAL makes the script known again
            again = await self._ask([("EVAL", SCRIPT, *batch[index]) for index in unknown], patience)
            for index, reply in zip(unknown, again, strict=True):
                replies[index] = reply
        return replies

    async def _ask(self, commands: Sequence[Command], patience: float) -> list[Any]:
        connection = self._connection = self._connection or self._open()
        task = asyncio.ensure_future(connection.run(commands))
        try:
            if await _is_answered(task, patience):
                return task.result()
        except (RedisError, OSError, TimeoutError) as error:
            self._drop()
            raise StoreDown(type(error).__name__) from error
        finally:
            task.cancel()
        self._drop()
        raise StoreDown("silent")

    def _drop(self) -> None:
        """Never use a connection again on which an answer is outstanding: it would be taken for the next one's."""
        if self._connection is not None:
            closing = asyncio.gather(self._connection.close(), return_exceptions=True)
            self._closing.add(closing)
            closing.add_done_callback(self._closing.discard)
            self._connection = None


async def _is_answered(answer: asyncio.Task[Any], patience: float) -> bool:
    """Whether `answer` is there in time. A timer that fires late tells of a busy process and not of a slow server, so
    only the time counts in which this process ran, and the sockets are read some more times before the end.
    """
    for pause in (*[patience / SLICES] * SLICES, *[0.0] * TURNS):
        await asyncio.wait({answer}, timeout=pause)
        if answer.done():
            break
    return answer.done()


def _arguments(identity: str, rules: tuple[Rule, ...], cost: int) -> Command:
    """Names are hashed, so that nothing in them means anything to Redis, and share a tag: one slot of a cluster."""
    tag = hashlib.sha256(identity.encode("utf-8", "surrogatepass")).hexdigest()[:32]
    keys = [f"limits:{{{tag}}}:{rule.name}:{rule.seconds}" for rule in rules]
    numbers = [number for rule in rules for number in (rule.amount, rule.seconds * MICROSECONDS)]
    return (len(keys), *keys, cost, *numbers)
