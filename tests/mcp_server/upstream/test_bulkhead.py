"""So many calls at one time and no more; whoever waits gets a place, or is told when to try again."""

import asyncio
from collections import Counter
from time import monotonic

import pytest
from hypothesis import given
from hypothesis import settings as tried
from hypothesis import strategies as st

from mcp_server.settings import McpSettings
from mcp_server.upstream.bulkhead import Bulkhead
from mcp_server.upstream.deadline import current_deadline
from mcp_server.upstream.failure_mapping import BulkheadFull, DeadlinePassed
from tests.edge import within
from tests.mcp_server.outside import slot
from tests.support import settings


def places(total: int, per_operation: int, per_subject: int, *, wait: float = 30) -> McpSettings:
    return settings(
        upstream_concurrency=total,
        upstream_concurrency_per_operation=per_operation,
        upstream_concurrency_per_subject=per_subject,
        upstream_wait_seconds=wait,
    )


class Call:
    """One call that the test lets in and out."""

    def __init__(self, bulkhead: Bulkhead, subject: str = "ada", operation: str = "chat") -> None:
        self.entered, self.leave = asyncio.Event(), asyncio.Event()
        self.task = asyncio.create_task(self._run(bulkhead, subject, operation))

    async def _run(self, bulkhead: Bulkhead, subject: str, operation: str) -> None:
        async with slot(bulkhead, subject, operation):
            self.entered.set()
            await self.leave.wait()

    async def end(self) -> None:
        self.leave.set()
        await self.task


async def settled() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


@pytest.mark.parametrize(
    ("bounds", "other"),
    [(places(1, 9, 9), ("bob", "polling")), (places(9, 1, 9), ("bob", "chat")), (places(9, 9, 1), ("ada", "polling"))],
    ids=["in all", "of one operation", "of one subject"],
)
async def test_each_bound_keeps_the_next_one_waiting_until_a_place_is_free(
    bounds: McpSettings, other: tuple[str, str]
) -> None:
    bulkhead = Bulkhead(bounds)
    first, second = Call(bulkhead), Call(bulkhead, *other)
    await settled()
    assert (first.entered.is_set(), second.entered.is_set()) == (True, False)

    await first.end()
    await within(second.entered.wait())
    await second.end()

    assert (bulkhead.running, bulkhead.waiting) == (0, 0)


async def test_who_waits_in_vain_is_told_when_to_try_again() -> None:
    bulkhead = Bulkhead(places(1, 1, 1, wait=0.05))

    async with slot(bulkhead, "ada", "chat"):
        with pytest.raises(BulkheadFull) as refusal:
            async with slot(bulkhead, "bob", "chat"):
                pytest.fail("there was no place")

    assert refusal.value.retry_after >= 1
    async with slot(bulkhead, "bob", "chat"):
        assert (bulkhead.running, bulkhead.waiting) == (1, 0)


async def test_nobody_waits_beyond_the_deadline_of_their_call() -> None:
    bulkhead = Bulkhead(places(1, 1, 1))
    token = current_deadline.set(monotonic() + 0.05)

    async with slot(bulkhead, "ada", "chat"):
        with pytest.raises(DeadlinePassed):
            await within(slot(bulkhead, "bob", "chat").__aenter__())

    current_deadline.reset(token)
    assert (bulkhead.running, bulkhead.waiting) == (0, 0)


async def test_the_queue_is_bounded_for_each_subject_and_in_all() -> None:
    bulkhead = Bulkhead(places(2, 2, 1))
    inside = [Call(bulkhead, name) for name in ("ada", "bob")]
    waiting = [Call(bulkhead, name) for name in "aabbccdde"]
    await settled()

    with pytest.raises(BulkheadFull):  # has two waiting already, as many as may be inside
        await slot(bulkhead, "a", "chat").__aenter__()
    waiting.append(Call(bulkhead, "e"))
    await settled()
    with pytest.raises(BulkheadFull):  # five times as many wait as may be inside
        await slot(bulkhead, "f", "chat").__aenter__()

    await asyncio.gather(*(call.end() for call in inside + waiting))
    assert (bulkhead.running, bulkhead.waiting) == (0, 0)


async def test_a_place_given_to_one_who_just_left_goes_to_the_next() -> None:
    bulkhead = Bulkhead(places(1, 1, 1))
    first, leaver = Call(bulkhead, "ada"), Call(bulkhead, "bob")
    await settled()

    first.leave.set()
    await first.task  # the place is the leaver's now, who has not woken up yet
    leaver.task.cancel()
    await asyncio.gather(leaver.task, return_exceptions=True)

    async with slot(bulkhead, "cyd", "chat"):
        assert bulkhead.running == 1


@tried(deadline=None, max_examples=50)
@given(
    st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from(["chat", "ask"]), st.integers(0, 3)), max_size=60),
    st.builds(places, *[st.integers(1, 6)] * 3),
)
def test_no_bound_is_ever_passed_and_nothing_is_left_behind(
    calls: list[tuple[str, str, int]], bounds: McpSettings
) -> None:
    async def play() -> None:
        bulkhead, inside = Bulkhead(bounds), Counter[str]()

        async def call(subject: str, operation: str, turns: int) -> None:
            async with slot(bulkhead, subject, operation):
                inside.update([subject, operation, "all"])
                assert inside[subject] <= bounds.upstream_concurrency_per_subject
                assert inside[operation] <= bounds.upstream_concurrency_per_operation
                assert inside["all"] <= bounds.upstream_concurrency
                for _ in range(turns):
                    await asyncio.sleep(0)
                inside.subtract([subject, operation, "all"])

        told = await within(asyncio.gather(*(call(*each) for each in calls), return_exceptions=True))
        assert all(one is None or isinstance(one, BulkheadFull) for one in told)
        assert (bulkhead.running, bulkhead.waiting) == (0, 0)

    asyncio.run(play())
