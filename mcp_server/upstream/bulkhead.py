"""How many calls of the internal API are under way at once: in all, of one operation, and for one subject.

Without it an upstream that answers slowly fills every connection with calls that wait, and one user's panels are in
the way of everybody else's chat. A call that finds no place waits a moment for one; then it is refused, and told when
to try again. Nobody holds a place while waiting for another one that is needed to go on: a wait always ends.
"""

import asyncio
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from mcp_server.upstream.deadline import Allowance

AGAIN = 1.0
"""Seconds after which to try again: places become free with every answer."""


class Full(Exception):
    """There was no place. `retry_after` is in seconds."""

    def __init__(self, retry_after: float = AGAIN) -> None:
        super().__init__("too many calls are under way")
        self.retry_after = retry_after


@dataclass(frozen=True, slots=True)
class Bounds:
    """Calls at one time; the seconds that one more waits for its place, and how many wait, in all and of a subject."""

    total: int
    per_operation: int
    per_subject: int
    wait: float
    queue: int
    queue_per_subject: int


@dataclass(slots=True, eq=False)
class _Waiter:
    subject: str
    operation: str
    place: asyncio.Future[None] = field(default_factory=lambda: asyncio.get_running_loop().create_future())


class Slot:
    """`async with` it: a place for one call.

    Raises:
        Full: there was none in time.
        DeadlinePassed: the caller did not wait that long.

    """

    __slots__ = ("_bulkhead", "_operation", "_subject")

    def __init__(self, bulkhead: "Bulkhead", subject: str, operation: str) -> None:
        self._bulkhead, self._subject, self._operation = bulkhead, subject, operation

    async def __aenter__(self) -> None:
        await self._bulkhead.enter(self._subject, self._operation)

    async def __aexit__(self, *_ended: object) -> None:
        self._bulkhead.leave(self._subject, self._operation)


class Bulkhead:
    """First come, first served, past those whose own bound is reached."""

    def __init__(self, bounds: Bounds) -> None:
        self._bounds = bounds
        self._total = 0
        self._subjects: Counter[str] = Counter()
        self._operations: Counter[str] = Counter()
        self._waiting: dict[_Waiter, None] = {}
        self._waiting_of: Counter[str] = Counter()

    @property
    def running(self) -> int:
        return self._total

    def uses(self) -> Iterator[tuple[str, int, int]]:
        """By name, how many of how many places are taken: of all, and of each operation that was ever called."""
        yield "all", self._total, self._bounds.total
        for operation, taken in self._operations.items():
            yield operation, taken, self._bounds.per_operation

    @property
    def waiting(self) -> int:
        return len(self._waiting)

    def slot(self, subject: str, operation: str) -> Slot:
        return Slot(self, subject, operation)

    async def enter(self, subject: str, operation: str) -> None:
        """Take a place, which is given back with `leave`. Raises as `Slot`."""
        if self._fits(subject, operation):
            self._take(subject, operation)
        else:
            await self._wait(subject, operation)

    def _fits(self, subject: str, operation: str) -> bool:
        bounds = self._bounds
        return (
            self._total < bounds.total
            and self._operations[operation] < bounds.per_operation
            and self._subjects[subject] < bounds.per_subject
        )

    def _take(self, subject: str, operation: str) -> None:
        self._total += 1
        self._operations[operation] += 1
        self._subjects[subject] += 1

    def leave(self, subject: str, operation: str) -> None:
        self._total -= 1
        self._operations[operation] -= 1
        _less(self._subjects, subject)
        if self._waiting:
            self._let_in()

    def _let_in(self) -> None:
        for waiter in list(self._waiting):
            if self._total >= self._bounds.total:
                return
            if self._fits(waiter.subject, waiter.operation):
                self._forget(waiter)
                self._take(waiter.subject, waiter.operation)
                waiter.place.set_result(None)

    async def _wait(self, subject: str, operation: str) -> None:
        bounds = self._bounds
        if len(self._waiting) >= bounds.queue or self._waiting_of[subject] >= bounds.queue_per_subject:
            raise Full
        waiter = _Waiter(subject, operation)
        self._waiting[waiter] = None
        self._waiting_of[subject] += 1
        is_in = False
        try:
            async with Allowance(self._bounds.wait):
                await waiter.place
            is_in = True
        except TimeoutError:
            raise Full from None
        finally:
            if not is_in:
                self._give_up(waiter)

    def _give_up(self, waiter: _Waiter) -> None:
        """Leave the queue; a place that was given in the moment of leaving is passed on."""
        if waiter in self._waiting:
            self._forget(waiter)
        else:
            self.leave(waiter.subject, waiter.operation)

    def _forget(self, waiter: _Waiter) -> None:
        del self._waiting[waiter]
        _less(self._waiting_of, waiter.subject)


def _less(counts: Counter[str], name: str) -> None:
    """Count down, and forget who has nothing left: subjects come and go for as long as the process runs."""
    counts[name] -= 1
    if not counts[name]:
        del counts[name]
