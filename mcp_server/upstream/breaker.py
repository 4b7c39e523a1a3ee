"""pybreaker's counters and states for asyncio: admission here, counting there.

pybreaker alone counts a cancelled request as a fault, lets every waiting caller in while half open, and lets a
late answer of an earlier window reopen a closed breaker. This adapter adds a third verdict, limited probes, an
epoch and a monotonic clock, and never calls pybreaker across an await.
"""

import contextlib
import enum
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pybreaker

Changed = Callable[[str, str, str], None]
"""Told of each change: the breaker's name, the old state, the new one."""


class Verdict(enum.Enum):
    """What one call says about the server that was called."""

    OK = "ok"  # it answered: reset the failures, or count a successful probe
    FAULT = "fault"  # its own fault: count it
    IGNORE = "ignore"  # nothing: our own pool, our own bug, a caller who left


class BreakerOpen(Exception):
    """Refused without asking. `retry_after` is in seconds."""

    def __init__(self, name: str, retry_after: float) -> None:
        super().__init__(f"circuit {name} is open")
        self.name, self.retry_after = name, retry_after


class _Fault(Exception):
    """What pybreaker is told instead of the real exception."""


def _raise_fault() -> None:
    raise _Fault


class _Watch(pybreaker.CircuitBreakerListener):
    def __init__(self, changed: Callable[[str, str], None]) -> None:
        self._changed = changed

    def state_change(self, _cb: Any, old_state: Any, new_state: Any) -> None:
        self._changed(old_state.name if old_state else "", new_state.name)


@dataclass(slots=True)
class Call:
    """One guarded call. The caller sets the verdict when a response came; an exception is judged by `judge`.

    Attributes:
        epoch: of the breaker, when the call began.
        is_probe: the one call that a half-open breaker has let in; until it ends, nobody else is.
        is_kept: goes on when its guard ends, as a stream does. Whoever says so settles it.

    """

    epoch: int
    is_probe: bool = False
    verdict: Verdict = Verdict.OK
    is_kept: bool = False


class Guard:
    """`async with` it: one call, whose end is counted.

    Raises:
        BreakerOpen: the call was not made.

    """

    __slots__ = ("_breaker", "_call")

    def __init__(self, breaker: "AsyncBreaker") -> None:
        self._breaker = breaker

    async def __aenter__(self) -> Call:
        self._call = self._breaker.admit()
        return self._call

    async def __aexit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        if error is None:
            if not self._call.is_kept:
                self._breaker.settle(self._call, self._call.verdict)
            return
        # A cancellation is no Exception, and says nothing.
        judged = self._breaker.judge(error) if isinstance(error, Exception) else Verdict.IGNORE
        self._breaker.settle(self._call, judged)


class AsyncBreaker:
    """One upstream host and operation class. 5 faults open it, 30 s later one probe at a time, 2 successes close it."""

    def __init__(
        self,
        name: str,
        *,
        judge: Callable[[BaseException], Verdict],
        failures: int = 5,
        reset_seconds: float = 30.0,
        successes: int = 2,
        on_change: Changed | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.name, self.reset_seconds = name, reset_seconds
        self._judge, self._clock, self._on_change = judge, clock, on_change
        self._epoch = 0  # results of calls begun in an older epoch say nothing about this one
        self._probing = False
        self._opened = 0.0
        self._breaker = pybreaker.CircuitBreaker(
            fail_max=failures,
            reset_timeout=reset_seconds,
            success_threshold=successes,
            listeners=[_Watch(self._changed)],
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
        if self.state != pybreaker.STATE_OPEN:
            return 0.0
        return max(0.0, self._opened + self.reset_seconds - self._clock())

    def guard(self) -> "Guard":
        """Around the call, its deadline included: a deadline outside would look like a caller who left."""
        return Guard(self)

    def check(self) -> None:
        """Whether a call would be let in at this moment. It changes nothing, so that the call may be made later.

        Raises:
            BreakerOpen: it would not.

        """
        state = self._breaker.current_state
        if state == pybreaker.STATE_CLOSED:
            return
        if (left := self.retry_after) > 0:
            raise BreakerOpen(self.name, left)
        if state == pybreaker.STATE_HALF_OPEN and self._probing:
            raise BreakerOpen(self.name, 1.0)

    def admit(self) -> Call:
        """Let a call in, or refuse it; whoever asks settles it. Raises as `Guard`."""
        # No await in here: on one event loop, the check and the step are one.
        self.check()
        if self.state == pybreaker.STATE_OPEN:
            self._breaker.half_open()
        is_probe = self.state == pybreaker.STATE_HALF_OPEN
        self._probing = is_probe
        return Call(self._epoch, is_probe)

    def free(self, call: Call) -> None:
        """Let the next probe in although `call` goes on: it was answered, and may go on for a quarter of an hour."""
        if call.is_probe and call.epoch == self._epoch:
            self._probing = call.is_probe = False

    def judge(self, error: BaseException) -> Verdict:
        return self._judge(error)

    def settle(self, call: Call, verdict: Verdict) -> None:
        """Count the end of `call`. The guard does so; for a call that is kept, whoever kept it."""
        if call.epoch != self._epoch:
            return
        self.free(call)
        if verdict is Verdict.OK:
            self._breaker.call(int)
        elif verdict is Verdict.FAULT:
            with contextlib.suppress(_Fault):
                self._breaker.call(_raise_fault)

    def _changed(self, old: str, new: str) -> None:
        self._epoch += 1
        self._probing = False
        if new == pybreaker.STATE_OPEN:
            self._opened = self._clock()
        if self._on_change is not None:
            self._on_change(self.name, old, new)
