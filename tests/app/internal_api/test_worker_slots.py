"""WorkerSlots work side by side, rest when there is nothing to do, and outlive a database that does not answer."""

import asyncio

import pytest
from sqlalchemy.exc import OperationalError

from app.internal_api.worker_slots import Drain, EventHub, WorkerSlots, beside
from tests.app.internal_api.support import within


class Jobs:
    """Jobs that wait at a gate; each look that finds none is told."""

    def __init__(self, waiting: int, failures: int = 0) -> None:
        self.waiting, self.failures = waiting, failures
        self.running = self.most = self.done = 0
        self.gate, self.idle, self.full = asyncio.Event(), asyncio.Event(), asyncio.Event()

    async def work_once(self) -> bool:
        if self.failures:
            self.failures -= 1
            raise OperationalError("SELECT", {}, Exception("locked"))
        if not self.waiting:
            self.idle.set()
            return False
        self.waiting -= 1
        self.running += 1
        self.most = max(self.most, self.running)
        if self.running == 2:
            self.full.set()
        await self.gate.wait()
        self.running -= 1
        self.done += 1
        return True


async def test_as_many_jobs_as_slots_are_worked_on_at_once() -> None:
    jobs = Jobs(5)

    async with beside(WorkerSlots("test", jobs.work_once, 2, 60, asyncio.Event()).run()):
        await within(jobs.full.wait())
        jobs.gate.set()
        await within(jobs.idle.wait())

    assert (jobs.most, jobs.done) == (2, 5)


@pytest.mark.parametrize("failures", [0, 3])
async def test_a_slot_looks_again_after_a_while_whatever_the_database_said(failures: int) -> None:
    jobs = Jobs(1, failures)
    jobs.gate.set()

    async with beside(WorkerSlots("test", jobs.work_once, 1, 0.01, asyncio.Event()).run()):
        await within(jobs.idle.wait())
        jobs.idle.clear()
        await within(jobs.idle.wait())

    assert jobs.done == 1


async def test_idle_slots_take_turns_at_looking() -> None:
    """So many slots, and no more looks than one slot would make: each waits as many turns as there are slots."""
    looks: list[int] = []

    async def look() -> bool:
        looks.append(len(looks))
        return False

    slots = WorkerSlots("test", look, 5, 0.05, asyncio.Event())
    began = asyncio.get_running_loop().time()
    async with beside(slots.run()):
        while len(looks) < 15:  # noqa: ASYNC110  a look has no event
            await asyncio.sleep(0.01)

    # Five looks at the start, then one in each turn; by each slot in each turn it would have been two turns.
    assert asyncio.get_running_loop().time() - began > 0.05 * 8


async def test_work_that_refuses_its_first_cancellation_is_stopped_all_the_same() -> None:
    cancelled = 0

    async def stubborn() -> None:
        nonlocal cancelled
        while cancelled < 2:
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                cancelled += 1

    async with beside(stubborn()):
        await asyncio.sleep(0)

    assert cancelled == 2


async def test_a_slot_ends_though_its_work_took_the_cancellation_for_a_fault_of_the_database() -> None:
    began = asyncio.Event()

    async def work_once() -> bool:
        began.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            raise OperationalError("SELECT 1", {}, Exception("gone")) from None
        return True

    slots = WorkerSlots("test", work_once, 1, 0.01, asyncio.Event())
    async with beside(slots.run()):
        await began.wait()


def test_all_subscribers_of_a_question_are_notified_and_no_others() -> None:
    hub = EventHub()

    with hub.subscribe("a") as first, hub.subscribe("a") as second, hub.subscribe("b") as other:
        hub.notify("a")

        assert (first.is_set(), second.is_set(), other.is_set()) == (True, True, False)


async def test_closing_waits_for_requests_that_have_begun_and_admits_none() -> None:
    drain = Drain()
    with drain.request():
        closing = asyncio.create_task(drain.close(60))
        await asyncio.sleep(0)
        late = asyncio.create_task(drain.admit())
        await asyncio.sleep(0)
        assert not closing.done()

    await closing
    assert not late.done()
    late.cancel()
