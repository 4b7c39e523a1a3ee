"""Telling never waits; nothing that the queue can hold is lost, and of what it cannot hold the log itself tells."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager

import pytest
from anyio import CancelScope, move_on_after

from mcp_server.audit import sinks
from mcp_server.audit.chain import Chain, Row
from mcp_server.audit.entries import Entry, Event
from mcp_server.audit.sinks import BATCH, Head, SinkWriter, WriterLimits
from tests.auditing import KEY, NAME, Memory, call, found
from tests.edge import within
from tests.mcp_server.audit.test_verifying import check

QUICK = WriterLimits(queue=100, every=0.01, first_backoff=0.01)


def writer_to(sink: Memory, limits: WriterLimits = QUICK) -> SinkWriter:
    return SinkWriter(sink, Chain(NAME, KEY), limits, Entry(Event.AUDIT_START))


@asynccontextmanager
async def running(writer: SinkWriter) -> AsyncIterator[None]:
    task = asyncio.create_task(writer.run())
    yield
    writer.close()
    await within(task)


async def until(seen: Callable[[], bool]) -> None:
    async with asyncio.timeout(20):
        while not seen():  # noqa: ASYNC110  flags for operators have no event, and the writer tells nobody
            await asyncio.sleep(0.005)


async def test_what_is_told_is_written_in_order_between_a_beginning_and_an_end() -> None:
    sink = Memory()
    writer = writer_to(sink)
    async with running(writer):
        for number in range(3):
            writer.offer(call(number))
        await within(writer.settle())

    assert sink.events == ["auditStart", *["toolSuccess"] * 3, "auditEnd"]
    assert [row.entry.reason for row in sink.rows[1:-1]] == ["0", "1", "2"]
    assert check([found(row) for row in sink.rows]).faults == []


@pytest.mark.security("FI-22")
async def test_while_the_sink_is_down_all_is_kept_and_written_in_order_when_it_is_back() -> None:
    sink = Memory()
    writer = writer_to(sink)
    async with running(writer):
        writer.offer(call(0))
        await within(writer.settle())
        sink.is_down = True
        for number in range(1, 50):
            writer.offer(call(number))
        await until(lambda: writer.is_failing)
        await within(writer.settle())
        assert writer.status() == {"status": "failing", "queued": 49, "lost": 0}
        sink.is_down = False

    assert [row.entry.reason for row in sink.rows[1:-1]] == [str(number) for number in range(50)]
    assert check([found(row) for row in sink.rows]).faults == []


@pytest.mark.security("FI-22")
async def test_what_does_not_fit_is_counted_in_its_place_in_the_log() -> None:
    sink = Memory()
    sink.is_down = True
    writer = writer_to(sink)
    async with running(writer):
        await until(lambda: writer.is_failing)
        for number in range(95):
            writer.offer(call(number))
        writer.offer(Entry(Event.TOKEN_REVOKED, subject="ada"))
        assert writer.status()["lost"] == 5
        sink.is_down = False
        await until(lambda: not writer.is_failing)
        writer.offer(call(99))

    gaps = [row for row in sink.rows if row.entry.event is Event.AUDIT_GAP]
    assert [gap.fields["detail"]["lost"] for gap in gaps] == [5]
    assert sink.events.index("auditGap") == sink.events.index("tokenRevoked") - 1, "calls do not crowd it out"
    assert check([found(row) for row in sink.rows]).gaps == 5


async def test_a_batch_that_is_full_is_not_kept_waiting() -> None:
    sink = Memory()
    writer = writer_to(sink, WriterLimits(every=3_600))
    async with running(writer):
        await within(writer.settle())
        for number in range(BATCH):
            writer.offer(call(number))
        await until(lambda: len(sink.rows) > BATCH)

    assert len(sink.rows) == BATCH + 2


async def test_a_writer_with_nothing_to_write_waits_and_wakes_for_the_first_entry(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    waits: list[float] = []

    def noted(seconds: float) -> CancelScope:
        waits.append(seconds)
        return move_on_after(seconds)

    monkeypatch.setattr(sinks, "move_on_after", noted)
    sink = Memory()
    writer = writer_to(sink)
    async with running(writer):
        await until(lambda: len(waits) > 0)
        assert waits == [sinks.PRUNE_SECONDS]
        writer.offer(call())
        await until(lambda: len(sink.rows) == 2)

    assert sinks.PRUNE_SECONDS >= 30


class Busy(Memory):
    """While it writes, something more is told."""

    def __init__(self) -> None:
        super().__init__()
        self.batches: list[int] = []
        self.told: SinkWriter | None = None

    async def write(self, rows: Sequence[Row]) -> None:
        self.batches.append(len(rows))
        if self.told is not None and len(self.rows) < 3 * BATCH:
            self.told.offer(call())
        await super().write(rows)


async def test_what_is_told_during_a_write_waits_for_company() -> None:
    sink = Busy()
    writer = sink.told = writer_to(sink, WriterLimits(every=3600))
    async with running(writer):
        for number in range(BATCH):
            writer.offer(call(number))
        await within(writer.settle())
        by_then = list(sink.batches)
        sink.told = None

    assert BATCH in by_then
    assert len(by_then) <= 4  # the beginning, the batch, and whom `settle` waits for
    assert check([found(row) for row in sink.rows]).faults == []


async def test_a_gap_during_a_write_is_noted_although_nothing_comes_after_it() -> None:
    class Full(Memory):
        async def write(self, rows: Sequence[Row]) -> None:
            if not writer.lost:
                writer.offer(call())
            await super().write(rows)

    sink = Memory()
    writer = writer_to(sink, WriterLimits(queue=3_000, every=0.01))
    async with running(writer):
        await until(lambda: sink.events == ["auditStart"])
        writer.sink = sink = Full()
        for number in range(2_700):
            writer.offer(call(number))
        for _ in range(300):
            writer.offer(Entry(Event.TOKEN_REVOKED))
        await until(lambda: "auditGap" in sink.events)

    assert writer.status()["lost"] == 1


async def test_what_is_told_while_the_log_ends_is_written() -> None:
    sink = Busy()
    writer = writer_to(sink, WriterLimits(every=3600))
    async with running(writer):
        writer.offer(call())
        await within(writer.settle())
        sink.told = writer

    assert len(sink.rows) == 3 * BATCH + 1


async def test_a_new_chain_remembers_the_others_and_says_what_will_be_gone_before_it_goes() -> None:
    sink = Memory()
    sink.others, sink.old = {"before": Head(7, "a" * 64)}, {"old": Head(9, "d" * 64)}
    async with running(writer_to(sink, WriterLimits(every=0.01, retention_days=90))):
        await until(lambda: bool(sink.dropped))

    assert sink.rows[0].fields["detail"]["heads"] == {"before": {"seq": 7, "hash": "a" * 64}}
    place = sink.events.index("auditRetention")
    assert sink.rows[place].fields["detail"]["cuts"] == {"old": {"seq": 9, "hash": "d" * 64}}
    assert sink.rows_when_dropped > place


async def test_a_sink_that_never_comes_back_does_not_hold_up_the_end() -> None:
    sink = Memory()
    sink.is_down = True
    writer = writer_to(sink)
    async with running(writer):
        writer.offer(call())
        await until(lambda: writer.is_failing)

    assert sink.rows == []
