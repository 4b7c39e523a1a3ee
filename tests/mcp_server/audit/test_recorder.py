"""One place to tell, several sinks, and answers that wait for their row."""

import asyncio
from datetime import UTC, datetime

import pytest

from mcp_server.audit.entries import Entry, Event, Origin, current_origin
from mcp_server.audit.recorder import PER_KEY, Recorder, chain_name
from mcp_server.audit.trail import TrailLimits
from tests.auditing import KEY, Memory, call, found
from tests.edge import within
from tests.mcp_server.audit.test_verifying import check

QUICK = TrailLimits(every=0.01, first_wait=0.01)


async def test_every_sink_has_every_event_and_one_that_fails_holds_up_no_other() -> None:
    well, down = Memory(), Memory()
    down.is_down = True
    recorder = Recorder([well, down], KEY, QUICK)
    async with recorder.running():
        recorder.record(call())
        await within(recorder.settle())
        async with asyncio.timeout(20):
            while recorder.status()["status"] == "ok":  # noqa: ASYNC110  a flag for operators has no event
                await asyncio.sleep(0.005)
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


@pytest.mark.security("RE-10", "RL-04")
async def test_many_addresses_of_one_network_are_one_when_repetitions_are_counted() -> None:
    sink = Memory()
    recorder = Recorder([sink], KEY, QUICK, network=lambda address: address.rpartition(":")[0])
    async with recorder.running():
        for number in range(100):
            recorder.record(Entry(Event.AUTH_FAILURE, "refused", address=f"2001:db8::{number}"))
            recorder.record(Entry(Event.AUTH_ATTEMPT, "ok", "ada", address=f"2001:db8::{number}"))

    addresses = [row.told.get("address") for row in sink.rows if row.entry.event is Event.AUTH_FAILURE]
    assert addresses == [*(f"2001:db8::{number}" for number in range(PER_KEY)), None]
    assert sink.events.count(Event.AUTH_ATTEMPT) == 2  # one, and the count of the others


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
        async with asyncio.timeout(20):
            while recorder.status()["status"] == "ok":  # noqa: ASYNC110  a flag for operators has no event
                await asyncio.sleep(0.005)

    assert recorder.status()["status"] == "degraded"


def test_chains_of_two_processes_are_two() -> None:
    from_now = [chain_name(datetime(2026, 11, 20, tzinfo=UTC)) for _ in range(2)]

    assert from_now[0] != from_now[1]
    assert all(name.startswith("20261120T000000Z-") for name in from_now)
