"""Sinks keep or send rows. The writer of each has a bounded queue and a chain of its own; offering never waits.

While a sink fails, the rows that were chained are tried again as they are, and new entries are queued. What the queue
cannot hold is counted, and the log says so itself in the place where it is missing (`auditGap`).
"""

import asyncio
import time
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import structlog
from anyio import move_on_after

from mcp_server.audit.chain import Chain, Row
from mcp_server.audit.entries import WRITTEN_FIRST, Entry, Event

BATCH = 200
"""Rows of one write. While the sink answers, at most so many are in memory only, for `WriterLimits.every` seconds."""

AT_ONCE = 20
"""Rows that are chained before other tasks have their turn: a batch would hold up calls for some milliseconds."""

RESERVE = 0.1
"""Of the queue, for events that change who may do what: a flood of calls must not push them out."""

PRUNE_SECONDS = 3_600.0
DAY = 86_400
MAX_BACKOFF = 30.0

log = structlog.get_logger(__name__)


class SinkFailed(Exception):
    """The rows are not there yet; the same rows will be written again. The text says why, without their content."""


class Head(NamedTuple):
    seq: int
    hash: str


Heads = Mapping[str, Head]


class Sink:
    """One place for rows. Rows come in order; after a failure the same come again, so writing twice must be once.

    One that only sends has no heads and forgets nothing. Each method raises `SinkFailed`.

    Attributes:
        is_durable: rows written here survive the process, so that an answer may wait for them.

    """

    name: ClassVar[str]
    is_durable: ClassVar[bool] = False

    async def write(self, rows: Sequence[Row]) -> None:
        raise NotImplementedError

    async def heads(self) -> Heads:
        """The latest rows of the latest chains here, for the first row of a new chain."""
        return {}

    async def expired(self, before: float) -> Heads:  # noqa: ARG002  subclasses forget
        """The last row of each chain that is older than `before` (seconds since the epoch)."""
        return {}

    async def drop(self, cuts: Heads) -> bool:  # noqa: ARG002  subclasses forget
        """Forget rows up to these, which the log has noted; whether there are more of them, for another time."""
        return False

    async def aclose(self) -> None:
        """Nothing comes after this."""


@dataclass(frozen=True, slots=True)
class WriterLimits:
    """`queue` is in entries, `retention_days` of None keeps everything, the rest is in seconds."""

    queue: int = 10_000
    retention_days: int | None = None
    every: float = 1.0
    first_backoff: float = 1.0


class SinkWriter:
    """Writes entries to one sink, as rows of one chain that begins with `start`."""

    def __init__(self, sink: Sink, chain: Chain, limits: WriterLimits, start: Entry) -> None:
        self.sink, self.lost, self.is_failing = sink, 0, False
        self.rows_written = self.rows_failed = 0
        self._chain, self._limits, self._start = chain, limits, start
        self._queue: deque[Entry] = deque()
        self._for_calls = int(limits.queue * (1 - RESERVE))
        self._gap: dict[str, Any] = {}
        self._retried: Sequence[Row] = ()
        self._offered, self._wake = asyncio.Event(), asyncio.Event()
        self._closing, self._progress = asyncio.Event(), asyncio.Event()
        self._prune_at = 0.0

    def offer(self, entry: Entry) -> None:
        """Have `entry` written; at most BATCH rows and `every` seconds later while the sink answers."""
        queued = len(self._queue)
        if queued >= (self._limits.queue if entry.event in WRITTEN_FIRST else self._for_calls):
            self.lost += 1
            self._gap = {"lost": self._gap.get("lost", 0) + 1, "since": self._gap.get("since", entry.time)}
            return
        self._end_gap(entry.time)
        self._queue.append(entry)
        self._offered.set()
        if queued + 1 >= BATCH:
            self._wake.set()

    async def settle(self) -> None:
        """Wait until what was offered so far is written, or it shows that the sink fails."""
        waiting = len(self._retried) + len(self._queue)
        target = self.rows_written + waiting + (self._chain.seq < 0)  # the first row goes before them
        while waiting and self.rows_written < target and not self.is_failing:
            self._wake.set()
            await self._progress.wait()

    def status(self) -> dict[str, Any]:
        waiting = len(self._queue) + len(self._retried)
        return {"status": "failing" if self.is_failing else "ok", "queued": waiting, "lost": self.lost}

    async def run(self) -> None:
        """Write until `close`; the last row says that the chain ends here."""
        backoff = self._limits.first_backoff
        while self._queue or not self._closing.is_set():
            try:
                await self._round()
            except SinkFailed as fault:
                self._failed(fault)
                if self._closing.is_set():
                    return
                with move_on_after(backoff):  # a sink that fails is not hurried by a full queue
                    await self._closing.wait()
                backoff = min(2 * backoff, MAX_BACKOFF)
            else:
                backoff = self._limits.first_backoff
                if not self._closing.is_set():
                    await self._next_batch()

    def close(self) -> None:
        """Have what is queued written, and end."""
        self._end_gap(time.time())
        self._queue.append(Entry(Event.AUDIT_END))
        self._closing.set()
        self._offered.set()
        self._wake.set()

    async def _next_batch(self) -> None:
        """Wait for an entry, or until it is time to prune; then for the rest of the batch."""
        if not (self._queue or self._gap):
            with move_on_after(PRUNE_SECONDS):
                await self._offered.wait()
        with move_on_after(self._limits.every):
            await self._wake.wait()
        self._offered.clear()
        self._wake.clear()

    async def _round(self) -> None:
        if self._chain.seq < 0:
            heads = {name: head._asdict() for name, head in (await self.sink.heads()).items()}
            self._start.detail = {**(self._start.detail or {}), "key": self._chain.key.id, "heads": heads}
            self._retried = [self._chain.add(self._start)]
        await self._write_queue()
        if not self._closing.is_set():
            await self._prune()
        if self.is_failing:
            log.warning("audit.sink_recovered", sink=self.sink.name)
            self.is_failing = False

    async def _write_queue(self) -> None:
        """All that is queued by now. What comes meanwhile waits as it would have: one write must not bring the next, or
        under load each would hold the few rows of the one before it.
        """
        if self._retried:
            await self._write(self._retried)
        self._end_gap(time.time())
        left = len(self._queue)
        while left > 0:
            self._retried = rows = list[Row]()
            for _ in range(min(BATCH, left)):
                rows.append(self._chain.add(self._queue.popleft()))
                if len(rows) % AT_ONCE == 0:
                    await asyncio.sleep(0)
            left -= len(rows)
            await self._write(rows)

    async def _write(self, rows: Sequence[Row]) -> None:
        self._retried = rows
        await self.sink.write(rows)
        self._retried = ()
        self.rows_written += len(rows)
        self._notify()

    async def _prune(self) -> None:
        """First the log says what will be gone, then it goes: a row that nobody said that of is missing."""
        days = self._limits.retention_days
        if days is None or time.monotonic() < self._prune_at:
            return
        self._prune_at = time.monotonic() + PRUNE_SECONDS
        cuts = await self.sink.expired(time.time() - days * DAY)
        if cuts:
            detail = {"cuts": {name: head._asdict() for name, head in cuts.items()}, "days": days}
            self._queue.append(Entry(Event.AUDIT_RETENTION, detail=detail))
            await self._write_queue()
            while await self.sink.drop(cuts):  # a few at a time: other writers of the sink wait meanwhile
                await self._write_queue()

    def _failed(self, fault: SinkFailed) -> None:
        if not self.is_failing:
            log.error("audit.sink_failed", sink=self.sink.name, reason=str(fault))
        if self._closing.is_set():
            log.error("audit.lost_at_end", sink=self.sink.name, rows=self.status()["queued"])
        self.is_failing = True
        self.rows_failed += len(self._retried)
        self._notify()

    def _end_gap(self, until: float) -> None:
        if self._gap:
            self._queue.append(Entry(Event.AUDIT_GAP, "failed", detail={**self._gap, "until": until}))
            self._gap = {}

    def _notify(self) -> None:
        self._progress.set()
        self._progress.clear()
