"""Two places that were told the same events: what does one have that the other should have, too? Pure.

A chain in each place numbers its own rows, and what the log says of itself differs; the events are the same, in
the same order. Rows within a chain prove each other, so what can be gone unseen is its end, or all of it.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from mcp_server.audit.chain import instant
from mcp_server.audit.entries import CONTROL, Event

Told = Mapping[str, Any]
ENDS = frozenset({Event.AUDIT_START, Event.AUDIT_END})
OWN = frozenset({"chain", "seq", "prev"})
LATE_SECONDS = 10.0
"""So far two places may be apart while a process writes, or when it was killed."""


@dataclass(slots=True)
class End:
    """What is known of a chain in one place.

    Attributes:
        places: where else the process wrote, by the name of the sink, as its first row says; None where that is gone.
        last: the last row that the other places should have, too.
        gaps: spans of time from which this place says that it has lost events.

    """

    places: Mapping[str, str] | None = None
    last: Told | None = None
    gaps: list[tuple[str, str]] = field(default_factory=list)

    def take_in(self, told: Told) -> None:
        """The next row, which is genuine."""
        detail = told.get("detail") or {}
        if told.get("event") == Event.AUDIT_START:
            self.places = detail.get("places", {})
        elif told.get("event") == Event.AUDIT_GAP and {"since", "until"} <= set(detail):
            self.gaps.append((instant(detail["since"]), instant(detail["until"])))
        if is_common(told):
            self.last = told

    @property
    def is_closed(self) -> bool:
        return self.last is not None and self.last["event"] == Event.AUDIT_END


def is_common(told: Told) -> bool:
    """Whether all places have this row."""
    return told.get("event") in ENDS or told.get("event") not in CONTROL


def is_same(one: Told, other: Told) -> bool:
    """Whether two places tell of the same event."""
    if one["event"] != other["event"]:
        return False
    return one["event"] in ENDS or all(one.get(name) == other.get(name) for name in {*one, *other} - OWN)


def cut_before(told: Told) -> str:
    """Up to which moment a row `auditRetention` may have taken rows away."""
    return instant((datetime.fromisoformat(told["time"]) - timedelta(days=told["detail"]["days"])).timestamp())


@dataclass(frozen=True, slots=True)
class Allowed:
    """What may be missing: rows before `since`, which retention takes; those from `late` on may be on the way."""

    since: str
    late: str

    def covers(self, told: Told, here: End | None, there: End) -> bool:
        """Whether this row, which is `there`, may be missing here."""
        time = told["time"]
        if time < self.since or any(since <= time <= until for since, until in (here.gaps if here else ())):
            return True
        if there.is_closed or there.last is None:
            return False
        last = datetime.fromisoformat(there.last["time"]).timestamp()
        return bool(time >= min(self.late, instant(last - LATE_SECONDS)))


class Search:
    """Fed with the rows of one chain there: finds the first of them that is missing after the end that is here."""

    def __init__(self, here: End | None, may_miss: Callable[[Told], bool]) -> None:
        self._last, self._may_miss = here.last if here is not None else None, may_miss
        self._is_past = self._last is None
        self.first: Told | None = None

    def feed(self, told: Told) -> None:
        """The next row."""
        if not is_common(told):
            return
        if self._last is not None and is_same(told, self._last):
            self._is_past, self.first = True, None
        elif self._is_past and self.first is None and not self._may_miss(told):
            self.first = told


def doubtful(here: Mapping[str, End], there: Mapping[str, End], sink: str, place: str) -> Iterator[str]:
    """The chains of `there` that should be here as well, in this `sink` at this `place`, and are not the same."""
    for chain, end in there.items():
        own = here.get(chain)
        if own is None:
            named = (end.places or {}).get(sink)
            # Another host's files are elsewhere. But who has nothing at all here cannot say that.
            if named is not None and (named == place or not here):
                yield chain
        elif end.last is not None and (own.last is None or not is_same(end.last, own.last)):
            yield chain
