"""The words of limiting: a rule, how its window stands after a check, and what checks."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from math import ceil
from typing import NamedTuple


@dataclass(frozen=True, slots=True)
class Rule:
    """At most `amount` units in any `seconds`. Clients are shown the name; it tells windows of one identity apart."""

    name: str
    amount: int
    seconds: int

    def share(self, of: int) -> "Rule":
        """What one of so many processes may let in by itself, so that together they keep to about the rule."""
        return Rule(self.name, max(1, self.amount // of), self.seconds)


class WindowStats(NamedTuple):
    """A window after a check.

    Attributes:
        remaining: units that are left.
        reset: seconds until the oldest counted unit leaves the window, and its place is free again.

    """

    rule: Rule
    remaining: int
    reset: float


class Decision(NamedTuple):
    """The outcome of one check of one or more windows: all of them were charged, or none.

    Attributes:
        windows: in the order of the rules that were asked for.
        wait: seconds until the same call would be let in, if nobody else calls; 0 when it was.

    """

    allowed: bool
    windows: tuple[WindowStats, ...]
    wait: float = 0.0

    @property
    def tightest(self) -> WindowStats:
        """The window that refuses first; of two such the one that is full for longer."""
        return min(self.windows, key=lambda stats: (stats.remaining, -stats.reset))

    @property
    def retry_after(self) -> int:
        """Whole seconds, never less than the real wait (RFC 9110 section 10.2.3)."""
        return max(1, ceil(self.wait))


class StoreDown(Exception):
    """The store of the windows gave no answer in time. Whether the call was counted there is not known."""


Hit = Callable[[str, tuple[Rule, ...], int], Awaitable[Decision]]
"""Charges so many units to the window of each rule for an identity: to all of them, or to none.

At a cost of 0 this is a look: it is always let in, and changes nothing.
"""
