"""A worker's slots work side by side, rest when idle, and outlive a database that does not answer."""

import asyncio

import pytest
from sqlalchemy.exc import OperationalError

from app.internal_api.panels.worker import Drain
from app.internal_api.services import EventHub
from app.internal_api.store.minds import Job, training_jobs
from app.internal_api.workers import Worker, beside
from tests.app.internal_api.support import World, within


class Jobs(Worker[Job]):
    """Jobs that wait at a gate; each look that finds none is counted."""

    jobs = training_jobs

    def __init__(self, world: World, slots: int, poll_seconds: float, waiting: int = 0, failures: int = 0) -> None:
        services = world.api(poll_seconds=poll_seconds).services
        super().__init__(services, services.wake_training, slots=slots, lease_seconds=30)
        self.waiting, self.failures, self.looks = waiting, failures, 0
        self.busy = self.most = self.done = 0
        self.gate, self.idle, self.full = asyncio.Event(), asyncio.Event(), asyncio.Event()

    async def work_once(self) -> bool:
        if self.failures:
            self.failures -= 1
            raise OperationalError("SELECT", {}, Exception("locked"))
        if not self.waiting:
            self.looks += 1
            self.idle.set()
            return False
        self.waiting -= 1
        self.busy += 1
        self.most = max(self.most, self.busy)
        if self.busy == 2:
            self.full.set()
        await self.gate.wait()
        self.busy -= 1
        self.done += 1
        return True


async def test_as_many_jobs_as_slots_are_worked_on_at_once(world: World) -> None:
    jobs = Jobs(world, 2, 60, waiting=5)

    async with jobs.running():
        await within(jobs.full.wait())
        jobs.gate.set()
        await within(jobs.idle.wait())

    assert (jobs.most, jobs.done) == (2, 5)


@pytest.mark.parametrize("failures", [0, 3])
async def test_a_slot_looks_again_after_a_while_whatever_the_database_said(world: World, failures: int) -> None:
    jobs = Jobs(world, 1, 0.01, 1, failures)
    jobs.gate.set()

    async with jobs.running():
        await within(jobs.idle.wait())
        jobs.idle.clear()
        await within(jobs.idle.wait())

    assert jobs.done == 1


async def test_idle_slots_take_turns_at_looking(world: World) -> None:
    """So many slots, and no more looks than one slot would make: each waits as many turns as there are slots."""
    jobs = Jobs(world, 5, 0.05)
    began = asyncio.get_running_loop().time()
    async with jobs.running():
        while jobs.looks < 15:  # noqa: ASYNC110  a look has no event
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


async def test_a_slot_ends_though_its_work_took_the_cancellation_for_a_fault_of_the_database(world: World) -> None:
    began = asyncio.Event()

    class Mistaken(Jobs):
        async def work_once(self) -> bool:
            began.set()
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                raise OperationalError("SELECT 1", {}, Exception("gone")) from None
            return True

    async with Mistaken(world, 1, 0.01).running():
        await began.wait()


def test_all_subscribers_of_a_question_are_notified_and_no_others() -> None:
    hub = EventHub()

    with hub.subscribe("a") as first, hub.subscribe("a") as second, hub.subscribe("b") as other:
        hub.notify("a")

        assert (first.is_set(), second.is_set(), other.is_set()) == (True, True, False)


async def test_closing_waits_for_requests_that_have_begun_and_admits_none() -> None:
    drain = Drain()
    async with drain.request():
        closing = asyncio.create_task(drain.close(60))
        await asyncio.sleep(0)
        late = asyncio.create_task(drain.admit())
        await asyncio.sleep(0)
        assert not closing.done()

    await closing
    assert not late.done()
    late.cancel()
