"""PerKeySemaphore: how much of one place is under way at once."""

import asyncio
from dataclasses import dataclass, field

import pytest

from oauth.primitives.per_key_semaphore import PerKeySemaphore, TooManyWaiting


@dataclass
class Work:
    """Goes on until it is let go."""

    end: asyncio.Event = field(default_factory=asyncio.Event)
    began: int = 0
    under_way: int = 0
    most: int = 0

    async def __call__(self) -> str:
        self.began += 1
        self.under_way += 1
        self.most = max(self.most, self.under_way)
        try:
            await self.end.wait()
        finally:
            self.under_way -= 1
        return "done"


async def settled() -> None:
    """Once every task has gone as far as it can."""
    for _ in range(5):
        await asyncio.sleep(0)


async def test_of_one_place_so_many_go_on_as_many_wait_and_the_next_is_refused_at_once() -> None:
    turns, work = PerKeySemaphore(at_once=2, waiting=2), Work()
    first = [asyncio.create_task(turns.run("here", work)) for _ in range(4)]
    await settled()

    with pytest.raises(TooManyWaiting):
        await turns.run("here", work)
    elsewhere = asyncio.create_task(turns.run("there", work))
    await settled()
    began = work.began
    work.end.set()

    assert began == 3, "two here, and one there, which waits for nobody"
    assert await asyncio.gather(*first, elsewhere) == ["done"] * 5
    assert (work.most, work.began) == (3, 5)
    assert await turns.run("here", work) == "done"
    assert len(turns) == 0, "places come and go for as long as the process runs"


async def test_a_turn_is_over_when_the_work_has_ended_not_when_nobody_waits_for_it_any_more() -> None:
    turns, end = PerKeySemaphore(at_once=1, waiting=0), asyncio.Event()

    async def ends_late() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            await end.wait()  # a database that does not answer takes as long to end a query

    given_up = asyncio.create_task(turns.run("here", ends_late))
    await settled()
    given_up.cancel()
    await settled()

    with pytest.raises(TooManyWaiting):
        await turns.run("here", Work())
    end.set()
    await asyncio.wait([given_up])
    assert len(turns) == 0


async def test_who_gives_up_waiting_leaves_the_place_to_the_next() -> None:
    turns, work = PerKeySemaphore(at_once=1, waiting=1), Work()
    tasks = [asyncio.create_task(turns.run("here", work)) for _ in range(2)]
    await settled()
    tasks[1].cancel()
    await asyncio.wait(tasks[1:])
    tasks[1] = asyncio.create_task(turns.run("here", work))
    await settled()
    work.end.set()

    assert await asyncio.gather(*tasks) == ["done", "done"]
    assert (work.most, len(turns)) == (1, 0)
