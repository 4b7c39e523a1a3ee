"""A circuit breaker for asyncio: calls are let in by `admit`, and each is counted by how it ended.

A call whose caller left is no fault, one probe at a time is let in while half open, a late answer of an earlier window
changes nothing, and the clock is monotonic.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass

import httpx2

from mcp_server.observability.telemetry import no_op
from mcp_server.settings import McpSettings
from mcp_server.upstream.failure_mapping import BreakerOpen, Verdict

BreakerChanged = Callable[[str, str, str], None]
"""Called at each change with the breaker's name, the state before and the state now. It must neither raise nor wait."""

Judge = Callable[[httpx2.Response | Exception], Verdict]
"""What the end of a call says about the server."""


@dataclass(slots=True)
class Admission:
    """One call that was let in. Whoever asked for it settles it.

    Attributes:
        epoch: of the breaker, when the call began.
        is_probe: the one call that a half-open breaker has let in; until it ends, nobody else is.

    """

    epoch: int
    is_probe: bool = False


class CircuitBreaker:
    """One upstream host and operation class. 5 faults open it, 30 s later one probe at a time, 2 successes close it."""

    def __init__(
        self,
        name: str,
        settings: McpSettings,
        *,
        on_change: BreakerChanged = no_op,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.name, self._settings = name, settings
        self._clock, self._on_change = clock, on_change
        self._epoch = 0  # results of calls begun in an older epoch say nothing about this one
        self.state = "closed"
        """`closed`, `open` or `half-open`."""
        self._faults = self._successes = 0
        self._probing = False
        self._opened = 0.0

    @property
    def retry_after(self) -> float:
        """Seconds until the next probe is let in; 0 when calls go through."""
        if self.state != "open":
            return 0.0
        return max(0.0, self._opened + self._settings.breaker_reset_seconds - self._clock())

    def admit(self) -> Admission:
        """Let a call in. Raises BreakerOpen: the call must not be made."""
        # No await in here: on one event loop, the check and the step are one.
        if self.state != "closed":
            if (left := self.retry_after) > 0 or self._probing:
                raise BreakerOpen(self.name, left or 1.0)
            if self.state == "open":
                self._become("half-open")
            self._probing = True
        return Admission(self._epoch, is_probe=self._probing)

    def release_probe(self, call: Admission) -> None:
        """Let the next probe in although `call` goes on: it was answered, and may go on for a quarter of an hour."""
        if call.is_probe and call.epoch == self._epoch:
            self._probing = call.is_probe = False

    def settle(self, call: Admission, verdict: Verdict) -> None:
        """Count the end of `call`."""
        if call.epoch != self._epoch:
            return
        if call.is_probe:
            self._probing = call.is_probe = False
        if verdict is Verdict.OK:
            self._faults, self._successes = 0, self._successes + 1
            if self.state == "half-open" and self._successes >= self._settings.breaker_successes:
                self._become("closed")
        elif verdict is Verdict.FAULT:
            self._faults += 1
            if self.state == "half-open" or self._faults >= self._settings.breaker_failures:
                self._become("open")

    def _become(self, state: str) -> None:
        old, self.state = self.state, state
        self._epoch += 1
        self._faults = self._successes = 0
        self._probing, self._opened = False, self._clock()
        self._on_change(self.name, old, state)
