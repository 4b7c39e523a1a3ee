"""Exact sliding windows in memory: no sweeping task, no thread, nothing awaited, and a bound on what is kept."""

import time
from array import array
from bisect import bisect_right
from collections import OrderedDict, defaultdict
from collections.abc import Callable
from zlib import crc32

from mcp_server.limits.decisions import Decision, Rule, WindowStats

MAX_WINDOWS = 50_000
LOOKED_AT = 8
"""Windows that are looked at to make room for one: more would make a flood of addresses expensive."""
SHARED = 1_024  # windows that are shared by those who come when nothing can be forgotten
COMPACT = 64  # dead stamps that are kept before they are cut off: cutting moves all that follow

TIDY = 16  # checks from one look for dead windows to the next

Key = tuple[str, str]


class _Window:
    """The stamps of one window, oldest first; those before `head` are dead."""

    __slots__ = ("full", "head", "seconds", "stamps")

    def __init__(self, seconds: int) -> None:
        self.stamps = array("d")  # 8 bytes a stamp, where a deque of floats takes 40
        self.head, self.seconds, self.full = 0, seconds, False

    def is_over(self, now: float) -> bool:
        return not self.stamps or self.stamps[-1] <= now - self.seconds

    def until_free(self, now: float, amount: int, cost: int) -> float:
        """Seconds until `cost` fits. What costs more than the whole limit never does; it is told the whole window."""
        excess = len(self.stamps) - self.head + cost - amount
        if excess <= 0:
            return 0.0
        index = min(self.head + excess, len(self.stamps)) - 1
        return self.stamps[index] + self.seconds - now if index >= self.head else float(self.seconds)


class InMemorySlidingWindow:
    """The windows of one process.

    At most `size` windows are kept. To make room, dead ones go first, then those that were quiet for longest and
    still have room: a window that is full is never forgotten, or whoever is blocked could free itself by coming from
    many addresses. Where all that is looked at is full, newcomers share windows: strict, and still bounded.

    Windows of one length stand together, so that a long one neither hides the short ones behind it that are dead, nor
    goes before them: room is made where most are, which is where a flood of addresses is.
    """

    def __init__(self, size: int = MAX_WINDOWS, clock: Callable[[], float] = time.monotonic) -> None:
        self._windows: defaultdict[int, OrderedDict[Key, _Window]] = defaultdict(OrderedDict)
        self._shared: dict[tuple[str, int], _Window] = {}
        self._size, self._clock, self._checks = size, clock, 0

    def __len__(self) -> int:
        return sum(map(len, self._windows.values())) + len(self._shared)

    async def hit(self, identity: str, rules: tuple[Rule, ...], cost: int = 1) -> Decision:
        """Charge all windows or none."""
        now, allowed = self._clock(), True
        held: list[tuple[Rule, _Window, int]] = []
        for rule in rules:
            window = self._window((rule.name, identity), rule.seconds, now)
            count = len(window.stamps) - window.head
            allowed = allowed and count + cost <= rule.amount
            held.append((rule, window, count))
        wait, windows = 0.0, []
        for rule, window, count in held:
            if not allowed:
                wait = max(wait, window.until_free(now, rule.amount, cost))
            elif cost:
                window.stamps.extend((now,) * cost)
                count += cost  # noqa: PLW2901  # what is counted now
            window.full = count + (cost or 1) > rule.amount  # a look, at no cost, finds it as full as it is
            reset = window.stamps[window.head] + rule.seconds - now if count else 0.0
            windows.append(WindowStats(rule, max(0, rule.amount - count), reset))
        self._checks += 1
        if self._checks % TIDY == 0:
            # Two at most of a length for each check: each makes at most two new ones, so that the dead never pile up.
            for kept in self._windows.values():
                _forget_dead(kept, now, 2 * TIDY)
        return Decision(allowed, tuple(windows), wait)

    def _window(self, key: Key, seconds: int, now: float) -> _Window:
        """The window of `key`, its dead stamps skipped: those that are as old as it, or older."""
        window = self._windows[seconds].get(key)
        if window is None:
            window = self._new_window(key, seconds, now)
        else:
            self._windows[seconds].move_to_end(key)
        stamps, edge = window.stamps, now - seconds
        if window.head < len(stamps) and stamps[window.head] <= edge:
            window.head = bisect_right(stamps, edge, window.head)
            if window.head > COMPACT and window.head * 2 > len(stamps):
                del stamps[: window.head]
                window.head = 0
        return window

    def _new_window(self, key: Key, seconds: int, now: float) -> _Window:
        place = key[0], crc32(key[1].encode("utf-8", "surrogatepass")) % SHARED
        if self._shared and (shared := self._shared.get(place)) is not None and not shared.is_over(now):
            return shared  # its calls were counted here, and still count
        if sum(map(len, self._windows.values())) >= self._size and not self._make_room(now):
            return self._shared.setdefault(place, _Window(seconds))
        window = self._windows[seconds][key] = _Window(seconds)
        return window

    def _make_room(self, now: float) -> bool:
        if any(_forget_dead(kept, now, 1) for kept in self._windows.values()):
            return True
        most = max(self._windows.values(), key=len)
        for _ in range(LOOKED_AT):
            key, window = next(iter(most.items()))
            if window.is_over(now) or not window.full:
                del most[key]
                return True
            most.move_to_end(key)
        return False


def _forget_dead(kept: OrderedDict[Key, _Window], now: float, most: int) -> bool:
    """Whether there were any. Who was quiet for longest stands first."""
    for number in range(most):
        key = next(iter(kept), None)
        if key is None or not kept[key].is_over(now):
            return number > 0
        del kept[key]
    return True
