"""What may be counted: calls of upstreams, retries, breakers, caches. This one counts nothing; the edge's does."""

from collections.abc import Callable

CacheLookup = Callable[[bool], None]
"""Called at each look into a cache with whether the entry was there."""


def no_op(*_args: object) -> None:
    """A callback for what nobody listens to."""


class Telemetry:
    """Base of the counters, and by itself for a process that nobody scrapes. Labels are words of the code's own."""

    def upstream(self, operation: str, outcome: str, seconds: float) -> None:
        """A call of an upstream has ended."""

    def retried(self, operation: str) -> None:
        """A call is made once more."""

    def breaker_changed(self, breaker: str, old: str, new: str) -> None:
        """A breaker went from one state to another."""

    def bulkhead_refused(self, bulkhead: str) -> None:
        """No place was free."""

    def cache(self, _name: str) -> CacheLookup:
        """The callback for the cache of that name."""
        return no_op
