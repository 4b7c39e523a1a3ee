"""What Redis said last of each window, for the time in which it says nothing, and what it must be told afterwards."""

import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from itertools import islice
from math import floor

from mcp_server.limits.decisions import Rule, Standing
from mcp_server.limits.windows import LOOKED_AT, MAX_WINDOWS

SLACK = 1e-6
"""Of a unit: what rounding may take away from who waited exactly as long as it was told."""


@dataclass(slots=True)
class _Window:
    """One window as Redis told it: `used` units, of which the first leaves at `frees` and the last by `ends`.

    When those between leave is not known; they are taken to leave evenly. `since` are units that were let in here
    and that Redis was not told.
    """

    used: int = 0
    frees: float = 0.0
    ends: float = 0.0
    since: int = 0
    is_full: bool = False

    def held(self, now: float) -> float:
        if now < self.frees:
            return self.used
        return self.used * (self.ends - now) / (self.ends - self.frees) if now < self.ends else 0.0

    def room(self, now: float, amount: int, workers: int) -> int:
        """Units that this process may still let in: its part of what is left, rounded up."""
        return -(-floor(amount - self.held(now) + SLACK) // workers) - self.since

    def wait(self, now: float, amount: int, workers: int, cost: int) -> float:
        """Seconds until `cost` fits."""
        if now >= self.ends or self.room(now, amount, workers) >= cost:
            return 0.0
        may_be_held = amount - (self.since + cost - 1) * workers - 1
        if may_be_held < 0:
            return self.ends - now
        return self.ends - (self.ends - self.frees) * may_be_held / self.used - now


class LastTold:
    """The windows that this process asks about, at most `size`; full ones are forgotten last.

    One of `workers` processes, which may all have been told the same: it takes its part of what was left.
    """

    def __init__(self, workers: int = 1, size: int = MAX_WINDOWS, clock: Callable[[], float] = time.monotonic) -> None:
        self._workers, self._size, self._clock = workers, size, clock
        self._windows: OrderedDict[tuple[str, str], _Window] = OrderedDict()
        self._owing: dict[tuple[str, str], Rule] = {}

    def __len__(self) -> int:
        return len(self._windows)

    def note(self, identity: str, standings: tuple[Standing, ...]) -> None:
        """Redis has just said this."""
        now = self._clock()
        for rule, remaining, reset in standings:
            window = self._window(identity, rule)
            window.used, window.ends = rule.amount - remaining, now + rule.seconds
            window.is_full = remaining == 0
            window.frees = min(now + reset, window.ends - SLACK)

    def wait(self, identity: str, rules: tuple[Rule, ...], cost: int) -> float:
        """Seconds until what was told lets `cost` in; 0 if it does."""
        now = self._clock()
        windows = [(self._windows.get((rule.name, identity)), rule) for rule in rules]
        waits = (
            window.wait(now, rule.amount, self._workers, self._least(rule, cost))
            for window, rule in windows
            if window is not None
        )
        return max(waits, default=0.0)

    def capped(self, identity: str, rules: tuple[Rule, ...], standings: tuple[Standing, ...]) -> tuple[Standing, ...]:
        """Standings of this process by itself, with no more left than what was told leaves."""
        now, capped = self._clock(), []
        for rule, standing in zip(rules, standings, strict=True):
            window = self._windows.get((rule.name, identity))
            if window is not None and now < window.ends:
                room = max(0, window.room(now, rule.amount, self._workers))
                reset = window.wait(now, rule.amount, self._workers, 1) or max(standing.reset, window.frees - now)
                standing = Standing(standing.rule, min(standing.remaining, room), reset)  # noqa: PLW2901  # what is told now
            capped.append(standing)
        return tuple(capped)

    def owe(self, identity: str, rules: tuple[Rule, ...], units: tuple[int, ...]) -> None:
        """So many units were let in by this process alone, or could not be told."""
        for rule, count in zip(rules, units, strict=True):
            self._window(identity, rule).since += count
            if count:
                self._owing[rule.name, identity] = rule

    def settle(self, identity: str, rules: tuple[Rule, ...]) -> tuple[int, ...]:
        """The units that Redis does not know of: it is told now."""
        units = []
        for rule in rules:
            key = (rule.name, identity)
            window = self._windows.get(key)
            self._owing.pop(key, None)
            units.append(0 if window is None else window.since)
            if window is not None:
                window.since = 0
        return tuple(units)

    def owing(self, most: int) -> list[tuple[str, Rule]]:
        """Some of the windows of which Redis does not know all."""
        return [(identity, rule) for (_, identity), rule in islice(self._owing.items(), most)]

    def _least(self, rule: Rule, cost: int) -> int:
        """What costs more than a part can still be let in, by a whole part."""
        return min(cost, rule.share(self._workers).amount)

    def _window(self, identity: str, rule: Rule) -> _Window:
        key = (rule.name, identity)
        window = self._windows.get(key)
        if window is None:
            if len(self._windows) >= self._size:
                self._make_room()
            window = self._windows[key] = _Window()
        self._windows.move_to_end(key)
        return window

    def _make_room(self) -> None:
        """A window that is full is passed over, or whoever is blocked could free itself by many addresses."""
        now = self._clock()
        for _ in range(LOOKED_AT):
            key, window = next(iter(self._windows.items()))
            if window.ends <= now or not window.is_full:
                break
            self._windows.move_to_end(key)
        key, _ = self._windows.popitem(last=False)
        self._owing.pop(key, None)
