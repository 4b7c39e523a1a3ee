"""One more try, soon and not at the same moment as everybody's, and only where it may help."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_server.upstream.breaker import AsyncBreaker, Verdict
from mcp_server.upstream.deadline import Deadline, current_deadline
from mcp_server.upstream.failure_mapping import Watch
from mcp_server.upstream.retry import PAUSE, Tries

PASSING = Watch("5xx", may_pass=True)


class World:
    """A clock, a breaker and the pauses that were made."""

    def __init__(self, *, jitter: float = 0.5, more: int = 1, seconds: float = 30) -> None:
        self.now, self.slept, self.told = 100.0, list[float](), list[float]()
        self.breaker = AsyncBreaker("api", judge=lambda _error: Verdict.FAULT, failures=1, clock=lambda: self.now)
        self.tries = Tries(
            more, seconds, self.breaker, sleep=self._sleep, jitter=lambda: jitter, clock=lambda: self.now
        )
        self.meanwhile = 0.0

    async def _sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds
        if self.meanwhile:
            await self.fault()

    async def fault(self) -> None:
        with pytest.raises(ZeroDivisionError):
            async with self.breaker.guard():
                raise ZeroDivisionError

    async def again(self, watch: Watch = PASSING) -> bool:
        return await self.tries.again(watch, self.told.append)


async def test_what_may_pass_is_tried_once_more_and_no_more() -> None:
    world = World()

    assert [await world.again(), await world.again()] == [True, False]
    assert world.slept == world.told == [PAUSE / 2]


async def test_as_often_as_the_setting_says() -> None:
    assert await World(more=0).again() is False
    world = World(more=3)
    assert [await world.again() for _ in range(4)] == [True, True, True, False]


async def test_what_would_come_again_is_not_tried_again() -> None:
    world = World()

    assert await world.again(Watch("4xx")) is False
    assert world.slept == []


async def test_nothing_is_tried_against_an_open_breaker() -> None:
    world = World()
    await world.fault()

    assert await world.again() is False
    assert world.slept == []


async def test_nothing_is_tried_as_a_second_probe() -> None:
    world = World()
    await world.fault()
    world.now += 30
    async with world.breaker.guard():
        assert world.breaker.state == "half-open"
        assert await world.again() is False


async def test_a_breaker_that_opens_during_the_pause_ends_it() -> None:
    world = World()
    world.meanwhile = 1

    assert await world.again() is False
    assert world.told == []


@given(st.floats(0, 1, exclude_max=True))
async def test_the_pause_is_anything_between_nothing_and_its_bound(jitter: float) -> None:
    world = World(jitter=jitter)

    assert await world.again() is True
    assert 0 <= world.slept[0] <= PAUSE


async def test_a_pause_that_the_deadline_does_not_allow_is_not_made() -> None:
    world, token = World(), current_deadline.set(Deadline.after(PAUSE / 4))

    assert await world.again() is False
    assert world.slept == []
    current_deadline.reset(token)


async def test_all_tries_share_the_time_of_one_operation() -> None:
    world = World(seconds=5)
    world.now += 2  # it waited for its turn, which is not the upstream's doing
    assert world.tries.seconds == 5

    assert await world.again() is True
    assert world.tries.seconds == pytest.approx(3 - PAUSE / 2)

    late = World(seconds=5)
    late.now += 4.95
    assert await late.again() is False
