"""What stands between a call and the internal API: the caller's deadline, a place among others, and a breaker."""

import enum
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager

from mcp_server.caller import current_caller
from mcp_server.settings import McpSettings
from mcp_server.upstream.breaker import AsyncBreaker, Call
from mcp_server.upstream.bulkhead import Bounds, Bulkhead, Slot
from mcp_server.upstream.deadline import Allowance, DeadlinePassed, time_left
from mcp_server.upstream.failure_mapping import BreakerChanged, judge_error, telling

NOBODY = "nobody in particular"
"""Those of whom it is not known who they are share one subject's places: so they never take those of the others."""

QUEUE_WIDTHS = 5
"""So many times as many calls may wait as may be under way."""


class Operation(enum.Enum):
    """The seed's operation classes, and one for whose key it is. Each has its own timeout and its own breaker."""

    DEFAULT = "default"
    CREATE = "create"
    CHAT = "chat"
    ASK = "ask"
    POLLING = "polling"
    # Apart from the polls, which are the same small question: one persona whose state is an error, asked for again and
    # again, would leave nobody's key to be checked.
    IDENTITY = "identity"


class Protection:
    """For one host. The order is fixed: who is refused anyway does not wait first."""

    def __init__(self, host: str, settings: McpSettings, changed: BreakerChanged) -> None:
        self.seconds: Mapping[Operation, float] = {
            Operation.DEFAULT: settings.timeout_default,
            Operation.CREATE: settings.timeout_create,
            Operation.CHAT: settings.timeout_chat,
            Operation.ASK: settings.timeout_chat,
            Operation.POLLING: settings.timeout_polling,
            Operation.IDENTITY: settings.timeout_polling,
        }
        self.breakers = {
            operation: AsyncBreaker(
                f"{host}:{operation.value}",
                judge=judge_error,
                failures=settings.breaker_failures,
                reset_seconds=settings.breaker_reset_seconds,
                successes=settings.breaker_successes,
                on_change=telling(changed),
            )
            for operation in Operation
        }
        self.bulkhead = Bulkhead(
            Bounds(
                total=settings.upstream_concurrency,
                per_operation=settings.upstream_concurrency_per_operation,
                per_subject=settings.upstream_concurrency_per_subject,
                wait=settings.upstream_wait_seconds,
                # A burst that the rate limits let in finds room to wait; what is bounded here is the memory.
                queue=QUEUE_WIDTHS * settings.upstream_concurrency,
                queue_per_subject=settings.upstream_concurrency,
            )
        )

    def slot(self, operation: Operation) -> Slot:
        """A place for as long as the connection is used.

        Raises:
            DeadlinePassed: the caller does not wait any more.
            BreakerOpen: the call would not be made.
            Full: too many are under way.

        """
        if time_left() <= 0:
            raise DeadlinePassed
        self.breakers[operation].check()
        return self.bulkhead.slot(current_caller.get().subject or NOBODY, operation.value)

    @asynccontextmanager
    async def attempt(self, operation: Operation, seconds: float) -> AsyncIterator[Call]:
        """One request and its answer, whose end the breaker counts. The time is kept inside of what is counted.

        Raises:
            BreakerOpen: it was not made.
            TimeoutError: the answer took more than `seconds`.
            DeadlinePassed: the caller waited less than that, which is counted as nothing.

        """
        async with self.breakers[operation].guard() as call, Allowance(seconds):
            yield call
