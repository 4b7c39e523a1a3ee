"""The one place to which everything is told. It never waits, never fails, and hands each event to each sink's trail."""

import asyncio
import os
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from secrets import token_hex
from typing import Any

import structlog

from mcp_server.audit.chain import Chain, ChainKey
from mcp_server.audit.entries import WRITTEN_FIRST, Entry, Event, current_origin
from mcp_server.audit.sinks import Sink
from mcp_server.audit.trail import CLOSE_SECONDS, Trail, TrailLimits

SETTLE_SECONDS = 2.0
"""An answer waits so long for its row at most: a log that is stuck must not stop anybody from signing in."""

WINDOW = 60.0
MOST_KEYS = 10_000
PER_KEY, IN_ALL = 20, 600
ATTEMPTS_PER_KEY = 1
SAMPLED = frozenset({Event.AUTH_FAILURE, Event.SIGN_IN_FAILURE, Event.RATE_LIMIT_EXCEEDED, Event.INTERNAL_ERROR})
TELL_SECONDS = 5.0

log = structlog.get_logger(__name__)


class Recorder:
    """Takes events from everywhere in the process. Without sinks it forgets them.

    `places` is told at the start of each chain: which sinks keep rows, and where, by the name of the sink. `network`
    says which addresses are one when repetitions are counted; rows have the address itself.
    """

    def __init__(
        self,
        sinks: Sequence[Sink] = (),
        key: ChainKey | None = None,
        limits: TrailLimits | None = None,
        *,
        process: str = "",
        places: Mapping[str, str] | None = None,
        network: Callable[[str], str] = str,
    ) -> None:
        name = chain_name(datetime.now(UTC))
        key = key or ChainKey.derived(token_hex(32))
        self.trails = [
            Trail(sink, Chain(name, key), limits or TrailLimits(), started=_started(process, places or {}))
            for sink in sinks
        ]
        self._failures = Sampler(PER_KEY, IN_ALL)
        self._attempts = Sampler(ATTEMPTS_PER_KEY, IN_ALL)
        self._network = network
        self._tasks: list[asyncio.Task[None]] = []

    def record(self, entry: Entry) -> None:
        """Have it written. What an attacker can repeat at will is told in full a few times a minute, then counted."""
        origin = current_origin.get()
        if origin is not None:
            entry.request = entry.request or origin.request
            entry.address = entry.address or origin.address
            if entry.event in WRITTEN_FIRST:
                origin.must_be_written = True
        if self._is_admitted(entry):
            for trail in self.trails:
                trail.offer(entry)

    def queued(self, sink: str) -> list[Entry]:
        """What `sink` has not acknowledged yet, oldest first."""
        return [entry for trail in self.trails if trail.sink.name == sink for entry in trail.queued()]

    async def settle(self) -> None:
        """Wait until what was told so far is on a disk, or it shows that it cannot be. At most `SETTLE_SECONDS`."""
        for trail in self.trails:
            if trail.sink.is_durable and not trail.is_failing:
                with suppress(TimeoutError):
                    async with asyncio.timeout(SETTLE_SECONDS):
                        await trail.settle()
                return

    def status(self) -> dict[str, Any]:
        """For operators: `degraded` while any sink fails."""
        sinks = {trail.sink.name: trail.status() for trail in self.trails}
        for name, task in zip(sinks, self._tasks, strict=False):
            if task.done():
                sinks[name]["status"] = "failing"
        well = all(sink["status"] == "ok" for sink in sinks.values())
        return {"status": "ok" if well else "degraded", "sinks": sinks}

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Write until the block is left, then the rest, for at most a few seconds."""
        self._tasks = [asyncio.create_task(trail.run(), name=f"audit {trail.sink.name}") for trail in self.trails]
        for task in self._tasks:
            task.add_done_callback(_died)
        telling = asyncio.create_task(self._tell_counts())
        try:
            yield
        finally:
            telling.cancel()
            self._tell(float("inf"))
            await self._close()

    def _is_admitted(self, entry: Entry) -> bool:
        if entry.event not in SAMPLED and entry.event is not Event.AUTH_ATTEMPT:
            return True
        network = self._network(entry.address or "")
        if entry.event in SAMPLED:
            return self._failures.admits(entry.event, f"{entry.event} {network}", entry.time)
        return self._attempts.admits(entry.event, f"{entry.subject} {entry.client} {network}", entry.time)

    async def _tell_counts(self) -> None:
        while True:
            await asyncio.sleep(TELL_SECONDS)
            self._tell(time.time())

    def _tell(self, now: float) -> None:
        for sampler in (self._failures, self._attempts):
            for kind, count in sampler.held_back(now).items():
                entry = Entry(Event(kind), "counted", reason=f"{count} more were not told one by one")
                entry.detail = {"count": count}
                for trail in self.trails:
                    trail.offer(entry)

    async def _close(self) -> None:
        for trail in self.trails:
            trail.close()
        if self._tasks:
            _done, late = await asyncio.wait(self._tasks, timeout=CLOSE_SECONDS)
            for task in late:
                task.cancel()
            await asyncio.gather(*late, return_exceptions=True)
        for trail in self.trails:
            await trail.sink.aclose()


def chain_name(now: datetime) -> str:
    """Of one process: names sort by the time of the start."""
    return f"{now:%Y%m%dT%H%M%SZ}-{token_hex(4)}"


def _started(process: str, places: Mapping[str, str]) -> Entry:
    detail = {"process": process, "pid": os.getpid()}
    return Entry(Event.AUDIT_START, detail={**detail, "places": dict(places)} if places else detail)


def _died(task: asyncio.Task[None]) -> None:
    if not task.cancelled() and (error := task.exception()) is not None:
        log.error("audit.writer_died", task=task.get_name(), exc_info=error)


@dataclass(slots=True)
class Sampler:
    """How many of the same events become rows of their own: under attack the log must not fill the disk.

    In each window the first few of a key, such as event and address, are told; of the rest, how many there were.

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
