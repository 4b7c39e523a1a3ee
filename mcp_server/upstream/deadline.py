"""When the caller of the current request stops waiting. What is asked of others for it gets what is left, never more.

Two things end a call: the time of the operation, which is what its answer may take, and the deadline of whoever waits
for it. Only the first says something about the server that was asked, so that the two are kept apart here: a client
with little patience must not close the door on everybody else.
"""

import asyncio
import math
import re
import time
from collections.abc import Awaitable, Callable, Mapping
from contextvars import ContextVar
from types import TracebackType
from typing import Any, TypeVar

from mcp_server.upstream.failure_mapping import DeadlinePassed

T = TypeVar("T")

BUDGET = "ai.getminds/timeoutMs"
"""The member of a request's `_meta` in which a client says how many milliseconds it waits."""

_WAIT = re.compile(r"(?:^|[,;])\s*wait\s*=\s*\"?(\d{1,6})\"?\s*(?=$|[,;])", re.IGNORECASE)


NEVER = math.inf

current_deadline: ContextVar[float] = ContextVar("current_deadline", default=NEVER)
"""A moment of the monotonic clock. Set around each tool call; read wherever the call waits for somebody."""


def time_left() -> float:
    """Seconds that the current caller still waits: infinite where nobody does, not above 0 when they are over."""
    return current_deadline.get() - time.monotonic()


KEPT_BACK = 0.02
"""Seconds that stay with the caller of what is left, to say what happened: the inner time ends before the outer one."""

NEARLY = 0.9
"""The share of its time with which an operation was given all of it, where the deadline that cut it was no shorter."""


class deadline_timeout:  # noqa: N801  it reads as `asyncio.timeout` does
    """Limit a block to these seconds, and to no more than the caller has left.

    Raises `DeadlinePassed`: the deadline of the caller came first; if it has passed, nothing is begun; `TimeoutError`:
    the seconds were used up, or nearly.
    """

    def __init__(self, seconds: float) -> None:
        self._left = current_deadline.get() - time.monotonic() - KEPT_BACK
        self._is_callers = self._left < seconds * NEARLY
        self._timeout = asyncio.timeout(min(self._left, seconds))

    async def __aenter__(self) -> None:
        if self._left <= 0:
            raise DeadlinePassed
        await self._timeout.__aenter__()

    async def __aexit__(
        self, kind: type[BaseException] | None, raised: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            await self._timeout.__aexit__(kind, raised, trace)
        except TimeoutError:
            if self._is_callers:
                raise DeadlinePassed from None
            raise


async def outliving(work: Callable[[], Awaitable[T]]) -> T:
    """`work` that goes on when the call that began it has ended; to be run as a task, whose context is its own."""
    current_deadline.set(NEVER)
    return await work()


def stated(meta: Mapping[str, Any] | None, prefer: str) -> float | None:
    """The seconds that a client says it waits: in `_meta`, or over HTTP by `Prefer: wait=10` (RFC 7240 section 4.3).

    The shorter one counts. What cannot be read is no wish at all, as that document has it.
    """
    found = _WAIT.search(prefer)
    seconds = [float(found[1])] if found else []
    budget = (meta or {}).get(BUDGET)
    if isinstance(budget, int | float) and not isinstance(budget, bool) and 0 <= budget < math.inf:
        seconds.append(budget / 1000)
    return min(seconds, default=None)
