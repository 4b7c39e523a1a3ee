"""pybreaker's counters and states for asyncio: admission here, counting there.

pybreaker alone counts a cancelled request as a fault, lets every waiting caller in while half open, and lets a
late answer of an earlier window reopen a closed breaker. This adapter adds a third verdict, limited probes, an
epoch and a monotonic clock, and never calls pybreaker across an await.
"""

import contextlib
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import httpx2

from mcp_server.observability.telemetry import no_op
from mcp_server.settings import McpSettings
from mcp_server.upstream.failure_mapping import BreakerOpen, Verdict

# For a store that is not used here, pybreaker imports redis where it can: 0.1 s and 8 MB. None makes an import fail.
_redis: Any = sys.modules.get("redis")
sys.modules["redis"] = _redis
import pybreaker  # noqa: E402  after the lines that keep redis out

if _redis is None:
    del sys.modules["redis"]

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


class CircuitBreaker(pybreaker.CircuitBreakerListener):
    """One upstream host and operation class. 5 faults open it, 30 s later one probe at a time, 2 successes close it."""

    def __init__(
        self,
        name: str,
        settings: McpSettings,
        *,
        on_change: BreakerChanged = no_op,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.name, self._reset_seconds = name, settings.breaker_reset_seconds
        self._clock, self._on_change = clock, on_change
        self._epoch = 0  # results of calls begun in an older epoch say nothing about this one
        self._probing = False
        self._opened = 0.0
        self._breaker = pybreaker.CircuitBreaker(
            fail_max=settings.breaker_failures,
            reset_timeout=self._reset_seconds,
            success_threshold=settings.breaker_successes,
            listeners=[self],
            name=name,
            throw_new_error_on_trip=False,
        )

    @property
    def state(self) -> str:
        """`closed`, `open` or `half-open`."""
        return str(self._breaker.current_state)

    @property
    def retry_after(self) -> float:
        """Seconds until the next probe is let in; 0 when calls go through."""
        if self._breaker.current_state != pybreaker.STATE_OPEN:
            return 0.0
        return max(0.0, self._opened + self._reset_seconds - self._clock())

    def admit(self) -> Admission:
        """Let a call in. Raises BreakerOpen: the call must not be made."""
        # No await in here: on one event loop, the check and the step are one.
        if (state := self._breaker.current_state) != pybreaker.STATE_CLOSED:
            if (left := self.retry_after) > 0 or self._probing:
                raise BreakerOpen(self.name, left or 1.0)
            if state == pybreaker.STATE_OPEN:
                self._breaker.half_open()
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
            self._breaker.call(int)
        elif verdict is Verdict.FAULT:
            with contextlib.suppress(ValueError):  # what pybreaker sees instead of the real exception
                self._breaker.call(int, "fault")

    def state_change(self, _breaker: Any, old: Any, new: Any) -> None:
        self._epoch += 1
        self._probing = False
        if new.name == pybreaker.STATE_OPEN:
            self._opened = self._clock()
        self._on_change(self.name, old.name, new.name)
