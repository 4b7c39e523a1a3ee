"""What the tools' half of the product tells whoever counts. This one counts nothing; the edge has one that does."""

from collections.abc import Callable

Told = Callable[[bool], None]
"""Told of each look into a cache, whether the entry was there."""


def untold(_hit: bool) -> None:  # noqa: FBT001  a callback with one argument
    """For a cache that nobody watches."""


class Telemetry:
    """Base of the counters, and by itself for a process that nobody scrapes. Labels are words of the code's own."""

    def upstream(self, operation: str, outcome: str, seconds: float) -> None:
        """A call of the internal API has ended."""

    def retried(self, operation: str) -> None:
        """A call of the internal API is made once more."""

    def upstream_began(self) -> None:
        """A request has left for the internal API."""

    def upstream_ended(self) -> None:
        """Its answer has been read, or given up."""

    def breaker_changed(self, breaker: str, old: str, new: str) -> None:
        """A breaker went from one state to another."""

    def bulkhead_refused(self, bulkhead: str) -> None:
        """No place was free."""

    def cache(self, _name: str) -> Told:
        """What the cache of that name has to call."""
        return untold
