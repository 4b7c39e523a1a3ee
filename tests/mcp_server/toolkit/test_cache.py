"""Entries expire, the oldest goes first, and each is computed once however many ask."""

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_server.toolkit.cache import TtlCache
from tests.support import Clock


class Work:
    """Counts how often it was done; waits until it may go on."""

    def __init__(self) -> None:
        self.done = 0
        self.begun, self.go = asyncio.Event(), asyncio.Event()

    async def __call__(self) -> int:
        self.done += 1
        self.begun.set()
        await self.go.wait()
        return self.done


def test_an_entry_is_there_until_its_time_is_up() -> None:
    clock = Clock(0)
    cache = TtlCache[str, int](10, clock=clock)

    cache.put("a", 1)
    clock.now = 9.99
    before = cache.get("a")
    clock.now = 10

    assert (before, cache.get("a"), len(cache._rows)) == (1, None, 0)


@given(st.lists(st.integers(min_value=0, max_value=20), max_size=60))
def test_it_never_holds_more_than_it_may_and_holds_the_last(keys: list[int]) -> None:
    cache = TtlCache[int, int](10, size=5)

    for key in keys:
        cache.put(key, key)

    last = list(dict.fromkeys(reversed(keys)))[:5]
    assert len(cache._rows) == len(last)
    assert [cache.get(key) for key in last] == last


@pytest.mark.requirement("seed:gateway:utility-cache")
async def test_however_many_ask_at_once_it_is_computed_once() -> None:
    cache, work = TtlCache[str, int](10), Work()

    asked = [asyncio.create_task(cache.once("a", work)) for _ in range(50)]
    await work.begun.wait()
    work.go.set()

    assert await asyncio.gather(*asked) == [(1, True)] + [(1, False)] * 49
    assert await cache.once("a", work) == (1, False)


@pytest.mark.parametrize("others", [0, 1])
async def test_one_who_leaves_does_not_take_it_from_the_others_nor_from_the_next(others: int) -> None:
    cache, work = TtlCache[str, int](10), Work()

    first = asyncio.create_task(cache.once("a", work))
    await work.begun.wait()
    waiting = [asyncio.create_task(cache.once("a", work)) for _ in range(others)]
    await asyncio.sleep(0)
    first.cancel()
    await asyncio.gather(first, return_exceptions=True)
    work.go.set()

    assert await asyncio.gather(*waiting, cache.once("a", work)) == [(1, False)] * (others + 1)
    assert first.cancelled()


async def test_a_failure_reaches_all_who_wait_and_is_not_kept() -> None:
    cache = TtlCache[str, int](10)
    fails = [True]

    async def work() -> int:
        await asyncio.sleep(0)
        if fails.pop() if fails else False:
            raise ValueError
        return 7

    both = await asyncio.gather(cache.once("a", work), cache.once("a", work), return_exceptions=True)

    assert [type(one) for one in both] == [ValueError, ValueError]
    assert await cache.once("a", work) == (7, True)


async def test_what_is_forgotten_while_it_is_computed_is_not_kept() -> None:
    cache, work = TtlCache[str, int](10), Work()

    early = asyncio.create_task(cache.once("a", work))
    await work.begun.wait()
    cache.forget("a")
    work.go.set()

    assert await early == (1, True)
    assert await cache.once("a", work) == (2, True)


def test_what_weighs_more_leaves_room_for_fewer() -> None:
    cache = TtlCache[str, str](10, size=5, weigh=len)

    for key, value in {"a": "12", "b": "123", "c": "1"}.items():
        cache.put(key, value)

    assert (cache.get("a"), cache.get("b"), cache.get("c")) == (None, "123", "1")
