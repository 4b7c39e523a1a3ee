"""Where to read more of one observation: for some of the fast ones, and for each that was slow."""

import time
from collections.abc import Callable

from mcp_server.observability.tracing import current_request, current_trace

EXEMPLARS, SLOW = 60, 0.1
"""So many a second, and one for all that takes as many seconds."""


class Exemplars:
    """Those of one process. A scrape sees the last of each bucket; to make one costs more than all that is counted."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._next_second, self._left = 0.0, 0

    def of(self, seconds: float) -> dict[str, str] | None:
        """The labels for what took so long just now; None where enough others were as fast in this second."""
        now = self._clock()
        if now >= self._next_second:
            self._next_second, self._left = now + 1, EXEMPLARS
        if self._left <= 0 and seconds < SLOW:
            return None
        self._left -= 1
        return _here()


def _here() -> dict[str, str] | None:
    """The trace if somebody keeps it, otherwise the request under which the log has it."""
    trace, request = current_trace.get(), current_request.get()
    if trace is not None and trace.sampled:
        return {"trace_id": trace.trace_id}
    return {"request_id": request} if request is not None else None
