"""From the event to the sink: a bounded queue, one writer, one chain. Telling never waits and never fails.

While the sink fails, what was chained is tried again as it is, and what comes is queued. What the queue cannot hold is
counted, and the log says so itself in the place where it is missing (`auditGap`).
"""

import asyncio
import contextlib
import time
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import structlog

from mcp_server.audit.chain import Chain, Row
from mcp_server.audit.entries import WRITTEN_FIRST, Entry, Event
from mcp_server.audit.sinks import Heads, Sink, SinkFailed

BATCH = 200
EVERY = 1.0
"""At most so many rows, and so many seconds, are in memory only, while the sink answers."""

RESERVE = 0.1
"""Of the queue, for events that change who may do what: a flood of calls must not push them out."""

PRUNE_SECONDS = 3_600.0
DAY = 86_400
LONGEST_WAIT = 30.0
CLOSE_SECONDS = 5.0

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class TrailLimits:
    """`queue` is in events, `retention_days` of None keeps everything, the rest is in seconds."""

    queue: int = 10_000
    retention_days: int | None = None
    every: float = EVERY
    first_wait: float = 1.0


class Trail:
    """One sink with its queue and its chain."""

    def __init__(self, sink: Sink, chain: Chain, limits: TrailLimits, *, started: Entry) -> None:
        self.sink, self.lost, self.is_failing = sink, 0, False
        self.rows_written = self.rows_failed = 0
        self._chain, self._limits, self._started = chain, limits, started
        self._queue: deque[Entry] = deque()
        self._for_calls = int(limits.queue * (1 - RESERVE))
        self._unsaid, self._unsaid_since = 0, 0.0
        self._retried: Sequence[Row] = ()
        self._arrived, self._wake, self._closing = asyncio.Event(), asyncio.Event(), asyncio.Event()
        self._progress = asyncio.Event()
        self._prune_at = 0.0

    def offer(self, entry: Entry) -> None:
        """Have `entry` written; at most BATCH and `every` later while the sink answers."""
        held = len(self._queue)
        if held >= (self._limits.queue if entry.event in WRITTEN_FIRST else self._for_calls):
            self._unsaid += 1
            self.lost += 1
            self._unsaid_since = self._unsaid_since or entry.time
            self._arrived.set()
            return
        if self._unsaid:
            self._queue.append(self._gap(entry.time))
        self._queue.append(entry)
        self._arrived.set()
        if held + 1 >= BATCH:
            self._wake.set()

    def queued(self) -> list[Entry]:
        """What the sink has not acknowledged yet, oldest first."""
        return [*(row.entry for row in self._retried), *self._queue]

    async def settle(self) -> None:
        """Wait until what was offered so far is written, or it shows that the sink fails."""
        held = len(self._retried) + len(self._queue)
        target = self.rows_written + held + (self._chain.seq < 0)  # the first row goes before them
        while held and self.rows_written < target and not self.is_failing:
            self._wake.set()
            await self._progress.wait()

    def status(self) -> dict[str, Any]:
        """For operators."""
        return {
            "status": "failing" if self.is_failing else "ok",
            "queued": len(self._queue) + len(self._retried),
            "lost": self.lost,
        }

    async def run(self) -> None:
        """Write until `close`; the last thing written says that the chain ends here."""
        wait = self._limits.first_wait
        while True:
            if await self._round():
                wait = self._limits.first_wait
                if not self._closing.is_set():
                    await _until(self._arrived, LONGEST_WAIT)
                    self._arrived.clear()
                    await _until(self._wake, self._limits.every)
                    self._wake.clear()
                elif not self._queue:
                    return
            elif self._closing.is_set():
                log.error("audit.lost_at_end", sink=self.sink.name, rows=self.status()["queued"])
                return
            else:  # a sink that fails is not hurried by a full queue
                await _until(self._closing, wait)
                wait = min(2 * wait, LONGEST_WAIT)

    def close(self) -> None:
        """Have what is queued written, and end."""
        if self._unsaid:
            self._queue.append(self._gap(time.time()))
        self._queue.append(Entry(Event.AUDIT_END))
        self._closing.set()
        self._arrived.set()
        self._wake.set()

    async def _round(self) -> bool:
        """Everything that is queued; False where the sink failed."""
        try:
            if self._chain.seq < 0:
                await self._begin()
            await self._write_queue()
            if not self._closing.is_set():
                await self._prune()
        except SinkFailed as fault:
            self._failed(fault)
            return False
        if self.is_failing:
            log.warning("audit.sink_recovered", sink=self.sink.name)
            self.is_failing = False
        return True

    async def _begin(self) -> None:
        heads = await self.sink.heads()
        self._started.detail = {**(self._started.detail or {}), "key": self._chain.key.id, "heads": _told(heads)}
        self._retried = [self._chain.add(self._started)]

    async def _write_queue(self) -> None:
        """All that is queued by now. What comes meanwhile waits as it would have: one write must not bring the next, or
        under load each would hold the few rows of the one before it.
        """
        if self._retried:
            await self._write(self._retried)
        left = len(self._queue)
        while left > 0 or self._unsaid:
            if not self._queue:
                self._queue.append(self._gap(time.time()))
            taken = min(BATCH, len(self._queue))
            self._retried = [self._chain.add(self._queue.popleft()) for _ in range(taken)]
            await self._write(self._retried)
            left -= taken

    async def _write(self, rows: Sequence[Row]) -> None:
        await self.sink.write(rows)
        self._retried = ()
        self.rows_written += len(rows)
        self._let_waiting_look()

    async def _prune(self) -> None:
        """First the log says what will be gone, then it goes: a row that nobody said that of is missing."""
        days = self._limits.retention_days
        if days is None or time.monotonic() < self._prune_at:
            return
        self._prune_at = time.monotonic() + PRUNE_SECONDS
        cuts = await self.sink.expired(time.time() - days * DAY)
        if cuts:
            self._queue.append(Entry(Event.AUDIT_RETENTION, detail={"cuts": _told(cuts), "days": days}))
            await self._write_queue()
            await self.sink.drop(cuts)

    def _gap(self, until: float) -> Entry:
        lost, since, self._unsaid, self._unsaid_since = self._unsaid, self._unsaid_since, 0, 0.0
        return Entry(Event.AUDIT_GAP, "failed", detail={"lost": lost, "since": since, "until": until})

    def _failed(self, fault: SinkFailed) -> None:
        if not self.is_failing:
            log.error("audit.sink_failed", sink=self.sink.name, reason=str(fault))
        self.is_failing = True
        self.rows_failed += len(self._retried)
        self._let_waiting_look()

    def _let_waiting_look(self) -> None:
        self._progress.set()
        self._progress.clear()


async def _until(event: asyncio.Event, seconds: float) -> None:
    """For so long, or until the event comes."""
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await event.wait()


def _told(heads: Heads) -> dict[str, dict[str, Any]]:
    return {name: {"seq": head.seq, "hash": head.hash} for name, head in heads.items()}
