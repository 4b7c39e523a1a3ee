"""Redis frozen, killed, slow and back again: no call is lost, and each finds its part of the limit."""

import asyncio
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Any

import pytest
from structlog.testing import capture_logs

from app.limits.failover import FailoverLimiter
from app.limits.redis_clients import Command, RedisConnection, open_connection
from app.limits.redis_url import redis_address
from app.limits.redis_windows import RedisWindows
from mcp_server.limits.decisions import Rule, StoreDown
from mcp_server.limits.windows import InMemorySlidingWindow
from tests.processes import free_port
from tests.redis import STEADY, Server, windows_at

TWO = (Rule("all", 3000, 60), Rule("tool", 30, 60))
WAITS = 0.25
PATIENCE = 0.04
"""The product's own."""


@asynccontextmanager
async def limiter(
    url: str, *, workers: int = 3, patience: float = STEADY, told: list[bool] | None = None
) -> AsyncIterator[FailoverLimiter]:
    windows: RedisWindows = windows_at(url, patience)
    seen = told if told is not None else []
    patient: RedisWindows = windows_at(url, STEADY)
    local = InMemorySlidingWindow()
    made = FailoverLimiter(windows, local, patient=patient, workers=workers, changed=seen.append, retry=0.2)
    async with made.running():
        yield made


async def until(limiter: FailoverLimiter, *, up: bool) -> None:
    async with asyncio.timeout(30):
        while limiter.is_up is not up:  # noqa: ASYNC110  there is a state and no event
            await asyncio.sleep(0.01)


async def passed(limiter: FailoverLimiter, who: str, attempts: int) -> int:
    return sum([(await limiter.hit(who, TWO)).allowed for _ in range(attempts)])


@pytest.mark.security("RL-11", "FI-02")
async def test_a_killed_redis_is_noticed_at_once_and_each_process_lets_its_part_in(own: Server) -> None:
    told: list[bool] = []
    async with limiter(own.url, told=told) as counted:
        await passed(counted, "before", 4)
        own.kill()

        with capture_logs() as logs:
            after, fresh = await passed(counted, "before", 50), await passed(counted, "fresh", 50)

    assert (after, fresh) == (6, 10)  # what Redis has let in counts, too
    assert told[:2] == [True, False]
    assert [line["event"] for line in logs if line["log_level"] == "warning"] == ["limit_store_lost"]


@pytest.mark.security("RL-11", "FI-03")
@pytest.mark.parametrize("end", ["freeze", "kill"])
async def test_no_call_is_lost_and_few_wait_when_redis_goes_under_load(own: Server, end: str) -> None:
    took: list[float] = []

    async def call(limiter: FailoverLimiter, number: int) -> None:
        started = time.perf_counter()
        await limiter.hit(f"subject:{number % 50}", TWO)
        took.append(time.perf_counter() - started)

    async with limiter(own.url, patience=PATIENCE) as counted:
        for number in range(2000):
            if number == 500:
                getattr(own, end)()
            await asyncio.gather(*(call(counted, number) for _ in range(2)))
        was_up = counted.is_up

    assert len(took) == 4000
    assert not was_up
    assert sorted(took)[int(len(took) * 0.99)] < 0.25  # a bound for busy machines; a quiet one stays below 1 ms
    assert max(took) < 3


@pytest.mark.security("FI-02")
@pytest.mark.parametrize("end", ["freeze", "kill"])
async def test_recovery_is_by_itself(own: Server, end: str) -> None:
    async with limiter(own.url, patience=0.5) as counted:
        getattr(own, end)()
        await passed(counted, "a", 1)
        await until(counted, up=False)

        own.thaw() if end == "freeze" else own.start()
        await until(counted, up=True)

        assert await passed(counted, "b", 40) == 30


@pytest.mark.security("FI-01")
async def test_a_redis_that_is_not_there_at_the_start_is_found_later(own: Server) -> None:
    own.kill()

    async with limiter(own.url) as counted:
        at_first = (counted.is_up, counted.has_answered, await passed(counted, "a", 40))
        own.start()
        await until(counted, up=True)
        later = (counted.has_answered, await passed(counted, "b", 40))

    assert at_first == (False, False, 10)
    assert later == (True, 30)


async def test_a_look_that_fails_in_an_unforeseen_way_is_told_and_not_the_last_one(own: Server) -> None:
    faults: list[Exception] = [StoreDown("not yet"), ValueError("nobody thought of this")]

    def open_after_faults() -> RedisConnection:
        if faults:
            raise faults.pop(0)
        return open_connection(redis_address(own.url))

    windows = RedisWindows(open_after_faults, STEADY)
    counted = FailoverLimiter(windows, InMemorySlidingWindow(), patient=windows_at(own.url, STEADY), retry=0.01)
    with capture_logs() as logs:
        async with counted.running():
            await until(counted, up=True)

    told = [line["event"] for line in logs]
    assert told == ["limit_store_not_found", "limit_store_look_failed", "limit_store_answers"]


@pytest.mark.security("FI-02", "FI-03")
async def test_a_pause_after_which_calls_are_counted_alone_refuses_nothing_that_must_be_counted(own: Server) -> None:
    async with limiter(own.url, patience=PATIENCE) as counted:
        await counted.strict_hit("a", TWO)
        own.freeze()
        must = asyncio.create_task(counted.strict_hit("a", TWO))
        await until_local(counted)
        also = asyncio.create_task(counted.strict_hit("a", TWO))
        await asyncio.sleep(0)
        own.thaw()

        charges = await asyncio.gather(must, also)

    assert [charge.tightest.remaining for charge in charges] == [28, 27]


@pytest.mark.security("FI-02")
async def test_what_must_be_counted_is_refused_at_once_after_a_look_in_vain_and_taken_again_after_a_good_one(
    own: Server,
) -> None:
    async with limiter(own.url) as counted:
        own.kill()
        refused = 0
        async with asyncio.timeout(30):
            while not counted._was_sought_in_vain:
                with pytest.raises(StoreDown):
                    await counted.strict_hit("a", TWO)
                refused += 1
        own.start()
        await until(counted, up=True)

        assert refused > 0
        assert (await counted.strict_hit("a", TWO)).allowed


@pytest.mark.security("FI-02")
async def test_a_fault_of_the_connection_for_what_must_be_counted_is_no_reason_to_give_up_that_of_the_calls(
    own: Server,
) -> None:
    told: list[bool] = []
    async with limiter(own.url, told=told) as counted:
        counted._patient._drop()
        counted._patient._open = lambda: open_connection(redis_address(f"redis://127.0.0.1:{free_port()}"))
        with pytest.raises(StoreDown):
            await counted.strict_hit("a", TWO)
        counted._patient._open = lambda: open_connection(redis_address(own.url))
        async with asyncio.timeout(30):
            while counted._is_in_doubt.is_set():  # noqa: ASYNC110  an event can be waited for in one direction only
                await asyncio.sleep(0.01)

        assert (await counted.strict_hit("a", TWO)).allowed
        assert await passed(counted, "a", 1) == 1

    assert told == [True]


@pytest.mark.security("FI-02")
async def test_where_it_takes_long_to_connect_what_must_be_counted_is_counted_from_the_first_time_on(
    own: Server,
) -> None:
    class Slow(RedisConnection):
        """A connection whose first answer takes twice as long as whoever must be counted waits."""

        def __init__(self) -> None:
            self._inner, self._is_open = open_connection(redis_address(own.url)), False

        async def run(self, commands: Sequence[Command]) -> list[Any]:
            if not self._is_open:
                with suppress(TimeoutError):
                    async with asyncio.timeout(2 * WAITS):
                        await asyncio.Event().wait()
                self._is_open = True
            return await self._inner.run(commands)

        async def close(self) -> None:
            await self._inner.close()

    patient = RedisWindows(Slow, WAITS)
    counted = FailoverLimiter(windows_at(own.url, STEADY), InMemorySlidingWindow(), patient=patient)
    async with counted.running():
        charge = await counted.strict_hit("a", TWO)

    assert charge.tightest.remaining == 29


async def until_local(limiter: FailoverLimiter) -> None:
    async with asyncio.timeout(30):
        while limiter.is_up:
            await limiter.hit("somebody", TWO)


async def test_a_call_that_costs_more_than_a_part_can_still_be_made_while_redis_is_away() -> None:
    dear = (Rule("dear", 10, 60),)
    async with limiter(f"redis://127.0.0.1:{free_port()}") as counted:
        charges = [(await counted.hit("a", dear, 5)).allowed for _ in range(2)]

    assert charges == [True, False]


ACCOUNT = (Rule("account", 100, 60),)


async def burst(limiter: FailoverLimiter, attempts: int) -> int:
    return sum([(await limiter.hit("ada", ACCOUNT)).allowed for _ in range(attempts)])


@pytest.mark.security("RL-11")
@pytest.mark.parametrize(("workers", "parts"), [(1, 100), (3, 33)])
async def test_a_window_that_was_used_up_here_stays_full_and_another_process_lets_its_part_in(
    own: Server, workers: int, parts: int
) -> None:
    async with limiter(own.url, workers=workers) as first, limiter(own.url, workers=workers) as second:
        await burst(first, 100)
        own.kill()

        assert [await burst(first, 150), await burst(second, 150)] == [0, parts]
        refused = await first.hit("ada", ACCOUNT)

    assert refused.tightest.remaining == 0
    assert 0 < refused.tightest.reset <= refused.wait <= 60


@pytest.mark.security("RL-11")
async def test_a_burst_at_three_processes_keeps_to_twice_the_limit_through_a_change_over(own: Server) -> None:
    async with limiter(own.url) as first, limiter(own.url) as second, limiter(own.url) as third:
        processes = (first, second, third)
        let_in = sum([await burst(each, 20) for each in processes])
        own.freeze()
        for each in processes:
            each._lose(StoreDown("late"))  # as a machine that is late makes it
        let_in += sum([await burst(each, 600) for each in processes])
        own.thaw()
        for each in processes:
            await until(each, up=True)
        let_in += sum([await burst(each, 600) for each in processes])

    assert 100 <= let_in <= 200
