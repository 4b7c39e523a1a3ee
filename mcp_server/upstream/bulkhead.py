"""How many calls of an upstream are under way at once: in all, of one operation, and for one subject.

Without it an upstream that answers slowly fills every connection with calls that wait, and one user's panels are in
the way of everybody else's chat. A call that finds no place waits a moment for one; then it is refused, with the
time to try again. Nobody holds a place while waiting for another one that is needed to go on: a wait always ends.
"""

import asyncio
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from mcp_server.settings import McpSettings
from mcp_server.upstream.deadline import deadline_timeout
from mcp_server.upstream.failure_mapping import BulkheadFull

NOBODY = "nobody in particular"
"""Those of whom it is not known who they are share one subject's places: so they never take those of the others."""

QUEUE_WIDTHS = 5
"""So many times as many calls may wait as may be under way. A burst that the rate limits let in finds room to wait;
what is bounded here is the memory.
"""


@dataclass(slots=True, eq=False)
class _Waiter:
    subject: str
    operation: str
    place: asyncio.Future[None] = field(default_factory=lambda: asyncio.get_running_loop().create_future())


class Bulkhead:
    """First come, first served, past those whose own bound is reached. `settings` has the bounds."""

    def __init__(self, settings: McpSettings) -> None:
        self._most, self._most_of_operation = settings.upstream_concurrency, settings.upstream_concurrency_per_operation
        self._most_of_subject, self._seconds = settings.upstream_concurrency_per_subject, settings.upstream_wait_seconds
        self.running = 0
        self._subjects: Counter[str] = Counter()
        self._operations: Counter[str] = Counter()
        self._waiting: list[_Waiter] = []

    @property
    def waiting(self) -> int:
        return len(self._waiting)

    def uses(self) -> Iterator[tuple[str, int, int]]:
        """By name, how many of how many places are taken: of all, and of each operation that was ever called."""
        yield "all", self.running, self._most
        for operation, taken in self._operations.items():
            yield operation, taken, self._most_of_operation

    def take(self, subject: str, operation: str) -> bool:
        """Whether there was a place. It is given back with `leave`."""
        if (
            self.running >= self._most
            or self._operations[operation] >= self._most_of_operation
            or self._subjects[subject] >= self._most_of_subject
        ):
            return False
        self.running += 1
        self._operations[operation] += 1
        self._subjects[subject] += 1
        return True

    def leave(self, subject: str, operation: str) -> None:
        self.running -= 1
        self._operations[operation] -= 1
        self._subjects[subject] -= 1
        if not self._subjects[subject]:  # subjects come and go for as long as the process runs
            del self._subjects[subject]
        for waiter in list(self._waiting):
            if self.running >= self._most:
                return
            if not waiter.place.done() and self.take(waiter.subject, waiter.operation):
                self._waiting.remove(waiter)
                waiter.place.set_result(None)

    def refuse(self, operation: str, error: Exception) -> None:
        """Let nobody wait any longer for a place of `operation`: its calls would not be made."""
        for waiter in [each for each in self._waiting if each.operation == operation and not each.place.done()]:
            self._waiting.remove(waiter)
            waiter.place.set_exception(error)

    async def wait(self, subject: str, operation: str) -> None:
        """Take a place when one is free.

        Raises `BulkheadFull`: none was in time; `DeadlinePassed`: the caller did not wait that long; `Exception`: what
        `refuse` was given meanwhile.
        """
        queued = sum(waiter.subject == subject for waiter in self._waiting)
        if len(self._waiting) >= QUEUE_WIDTHS * self._most or queued >= self._most:
            raise BulkheadFull
        waiter, is_in = _Waiter(subject, operation), False
        self._waiting.append(waiter)
        try:
            async with deadline_timeout(self._seconds):
                await waiter.place
            is_in = True
        except TimeoutError:
            raise BulkheadFull from None
        finally:
            if waiter in self._waiting:
                self._waiting.remove(waiter)
            elif not (is_in or waiter.place.cancelled() or waiter.place.exception()):
                self.leave(subject, operation)  # a place that was given in the moment of leaving is passed on
