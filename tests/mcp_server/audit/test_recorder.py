"""One place to tell, several sinks, and answers that wait for their row."""

import asyncio
from datetime import UTC, datetime

import pytest

from mcp_server.audit.entries import Entry, Event, Origin, current_origin
from mcp_server.audit.recorder import MOST_KEYS, PER_KEY, Recorder, Sampler, chain_name
from mcp_server.audit.trail import TrailLimits
from tests.auditing import KEY, Memory, call, found
from tests.edge import within
from tests.mcp_server.audit.test_verifying import check

QUICK = TrailLimits(every=0.01, first_wait=0.01)


async def until_degraded(recorder: Recorder) -> None:
    async with asyncio.timeout(20):
        while recorder.status()["status"] == "ok":  # noqa: ASYNC110  a flag for operators has no event
            await asyncio.sleep(0.005)


async def test_every_sink_has_every_event_and_one_that_fails_holds_up_no_other() -> None:
    well, down = Memory(), Memory()
    down.is_down = True
    recorder = Recorder([well, down], KEY, QUICK)
    async with recorder.running():
        recorder.record(call())
        await within(recorder.settle())
        await until_degraded(recorder)
        assert well.events == ["auditStart", "toolSuccess"]
        assert [entry.event for entry in recorder.queued("memory")] == ["auditStart", "toolSuccess"]
        down.is_down = False

    assert down.events == well.events == ["auditStart", "toolSuccess", "auditEnd"]


@pytest.mark.security("RE-10")
async def test_an_attack_is_a_few_rows_and_a_count() -> None:
    sink = Memory()
    recorder = Recorder([sink], KEY, QUICK)
    async with recorder.running():
        for _ in range(1_000):
            recorder.record(Entry(Event.AUTH_FAILURE, "refused", address="203.0.113.7"))
        recorder.record(call())

    rows = [row.told for row in sink.rows if row.entry.event is Event.AUTH_FAILURE]
    assert len(rows) == PER_KEY + 1
    assert rows[-1]["detail"] == {"count": 1_000 - PER_KEY}
    assert "toolSuccess" in sink.events
    assert check([found(row) for row in sink.rows]).faults == []


async def test_where_the_request_comes_from_is_told_and_who_changes_rights_is_waited_for() -> None:
    sink = Memory()
    recorder = Recorder([sink], KEY, QUICK)
    origin = Origin("request-1", "203.0.113.7")
    token = current_origin.set(origin)
    waits = []
    for entry in (call(), Entry(Event.TOKEN_REVOKED)):
        recorder.record(entry)
        waits.append(origin.must_be_written)
    current_origin.reset(token)

    assert waits == [False, True]
    assert {(entry.request, entry.address) for entry in recorder.queued("memory")} == {("request-1", "203.0.113.7")}


async def test_without_sinks_it_forgets() -> None:
    recorder = Recorder()
    async with recorder.running():
        recorder.record(call())
        await within(recorder.settle())

    assert recorder.status() == {"status": "ok", "sinks": {}}
    assert recorder.queued("file") == []


async def test_a_writer_that_died_is_seen() -> None:
    class Broken(Memory):
        async def heads(self) -> dict[str, object]:  # type: ignore[override]  # it is broken
            raise ZeroDivisionError

    recorder = Recorder([Broken()], KEY, QUICK)
    async with recorder.running():
        await until_degraded(recorder)

    assert recorder.status()["status"] == "degraded"


def test_chains_of_two_processes_are_two() -> None:
    from_now = [chain_name(datetime(2026, 11, 20, tzinfo=UTC)) for _ in range(2)]

    assert from_now[0] != from_now[1]
    assert all(name.startswith("20261120T000000Z-") for name in from_now)


@pytest.mark.security("RE-10")
def test_the_first_few_of_a_key_are_told_and_the_rest_is_counted() -> None:
    sampler = Sampler(per_key=2, in_all=100)

    told = [sampler.admits("authFailure", "here", 1_000.0) for _ in range(5)]

    assert told == [True, True, False, False, False]
    assert sampler.admits("authFailure", "there", 1_000.0)
    assert sampler.held_back(1_030.0) == {}, "the minute is not over"
    assert sampler.held_back(1_060.0) == {"authFailure": 3}
    assert sampler.held_back(1_061.0) == {}, "it was told"
    assert sampler.admits("authFailure", "here", 1_061.0)


@pytest.mark.security("RE-10")
def test_what_is_held_back_in_a_flood_without_end_is_told_once_a_minute() -> None:
    sampler, told = Sampler(per_key=1, in_all=100), []

    for second in range(1_000, 1_200):
        sampler.admits("authFailure", "here", float(second))
        if second % 5 == 0:
            told.append(sampler.held_back(float(second)).get("authFailure", 0))

    assert [count for count in told if count] == [59, 59, 59]


@pytest.mark.security("RE-10")
def test_many_addresses_together_have_their_limit_and_cost_no_more_memory_than_it() -> None:
    sampler = Sampler(per_key=2, in_all=100)

    told = sum(sampler.admits("authFailure", str(number), 1_000.0) for number in range(3 * MOST_KEYS))

    assert told == 100
    assert len(sampler._seen) <= MOST_KEYS
