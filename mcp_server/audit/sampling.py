"""How many of the same events become rows of their own: under attack the log must not be the thing that fills the disk.

In each minute the first few of a kind are told one by one, and of all that comes after them how many there were.
"""

from collections import Counter
from dataclasses import dataclass, field

WINDOW = 60.0
MOST_KEYS = 10_000


@dataclass(slots=True)
class Sampler:
    """Counts by a key, such as the event and the address, and in all.

    Attributes:
        per_key: so many of each key are told in a window.
        in_all: so many of all keys together.

    """

    per_key: int
    in_all: int
    window: float = WINDOW
    _since: float = 0.0
    _seen: Counter[str] = field(default_factory=Counter)
    _told: int = 0
    _held_back: Counter[str] = field(default_factory=Counter)
    _over: Counter[str] = field(default_factory=Counter)

    def admits(self, kind: str, key: str, now: float) -> bool:
        """Whether this one is told; one that is not is counted under `kind`."""
        if now - self._since >= self.window:
            self._begin(now)
        known = self._seen[key] if key in self._seen or len(self._seen) < MOST_KEYS else self.per_key
        if known >= self.per_key or self._told >= self.in_all:
            self._held_back[kind] += 1
            return False
        self._seen[key] = known + 1
        self._told += 1
        return True

    def held_back(self, now: float) -> dict[str, int]:
        """What was not told, by kind, of the windows that are over, also while the next one fills; asked for once."""
        if now - self._since >= self.window:
            self._begin(now)
        counts = dict(self._over)
        self._over.clear()
        return counts

    def _begin(self, now: float) -> None:
        self._over.update(self._held_back)
        self._held_back.clear()
        self._seen.clear()
        self._since, self._told = now, 0
