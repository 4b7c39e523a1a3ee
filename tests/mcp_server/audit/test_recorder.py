"""One place to tell, several sinks, and answers that wait for their row."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from mcp_server.audit.chain import ChainKey
from mcp_server.audit.entries import Entry, Event, Origin, current_origin
from mcp_server.audit.files import AUDIT_KEY, folder_of
from mcp_server.audit.recorder import PER_KEY, Recorder, Sampler, stdio_recorder
from mcp_server.audit.sinks import WriterLimits
from mcp_server.settings import McpSettings
from tests.auditing import KEY, Memory, call, found, queued, rows_in, verified
from tests.edge import within
from tests.mcp_server.audit.test_verifying import check

QUICK = WriterLimits(every=0.01, first_backoff=0.01)


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
        assert [entry.event for entry in queued(recorder)] == ["auditStart", "toolSuccess"]
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

    rows = [row.fields for row in sink.rows if row.entry.event is Event.AUTH_FAILURE]
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
    assert {(entry.request, entry.address) for entry in queued(recorder)} == {("request-1", "203.0.113.7")}


async def test_without_sinks_it_forgets() -> None:
    recorder = Recorder()
    async with recorder.running():
        recorder.record(call())
        await within(recorder.settle())

    assert recorder.status() == {"status": "ok", "sinks": {}}


async def test_a_writer_that_died_is_seen() -> None:
    class Broken(Memory):
        async def heads(self) -> dict[str, object]:  # type: ignore[override]  # it is broken
            raise ZeroDivisionError

    recorder = Recorder([Broken()], KEY, QUICK)
    async with recorder.running():
        await until_degraded(recorder)

    assert recorder.status()["status"] == "degraded"


@pytest.mark.security("RE-10")
def test_the_first_few_of_a_key_are_admitted_and_the_rest_is_counted() -> None:
    sampler = Sampler(per_key=2, in_all=100)

    admitted = [sampler.admits(Event.AUTH_FAILURE, "here") for _ in range(5)]

    assert admitted == [True, True, False, False, False]
    assert sampler.admits(Event.AUTH_FAILURE, "there")
    assert sampler.restart() == {"authFailure": 3}
    assert sampler.restart() == {}, "it was told"
    assert sampler.admits(Event.AUTH_FAILURE, "here")


@pytest.mark.security("RE-10")
def test_many_addresses_together_have_their_limit_and_cost_no_more_memory_than_it() -> None:
    sampler = Sampler(per_key=2, in_all=100)

    admitted = sum(sampler.admits(Event.AUTH_FAILURE, str(number)) for number in range(30_000))

    assert admitted == len(sampler._admitted) == 100


def settings(**more: Any) -> McpSettings:
    return McpSettings(_env_file=None, **more)


async def test_the_rows_of_stdio_are_in_files_under_a_key_of_the_folder(tmp_path: Path) -> None:
    recorder = stdio_recorder(settings(), tmp_path)
    async with recorder.running():
        recorder.record(call())

    key = ChainKey.derived((tmp_path / AUDIT_KEY).read_text().strip())
    assert verified(folder_of(tmp_path), key).faults == []
    assert [row["event"] for row in rows_in(folder_of(tmp_path))] == ["auditStart", "toolSuccess", "auditEnd"]


def test_stdio_goes_on_without_a_sink_and_without_a_folder_that_can_be_written_to(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")

    assert stdio_recorder(settings(audit_sink=("database",)), tmp_path).writers == []
    assert stdio_recorder(settings(), tmp_path / "file").writers == []
