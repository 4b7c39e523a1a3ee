"""Exact sliding windows in memory, under any order of calls."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_server.limits.decisions import Rule
from mcp_server.limits.windows import InMemorySlidingWindow
from tests.support import Clock

FIVE = Rule("five", 5, 10)


def most_in_any_window(times: list[float], seconds: float) -> int:
    """Of windows that are open at their beginning: a call exactly as old as the window is no longer in it."""
    return max((sum(end - seconds < time <= end for time in times) for end in times), default=0)


# Steps of a quarter second are exact in binary, and land on the very edges of windows often.
STEPS = st.lists(st.tuples(st.integers(0, 24), st.integers(1, 3)), max_size=120)


@pytest.mark.security("RL-12")
@pytest.mark.requirement("seed:gateway:limit-sliding-window")
@given(STEPS)
async def test_no_window_ever_holds_more_than_its_limit_and_no_room_is_refused(steps: list[tuple[int, int]]) -> None:
    clock = Clock()
    windows, let_in = InMemorySlidingWindow(clock=clock), list[float]()

    for quarters, cost in steps:
        clock.now += quarters / 4
        charge = await windows.hit("a", (FIVE,), cost)
        used = sum(clock.now - 10 < time for time in let_in)
        assert charge.allowed == (used + cost <= 5)
        let_in += [clock.now] * cost if charge.allowed else []
        assert charge.windows[0].remaining == 5 - used - (cost if charge.allowed else 0)

    assert most_in_any_window(let_in, 10) <= 5


@pytest.mark.security("RL-02")
@given(STEPS)
async def test_who_waits_as_told_is_let_in_and_not_a_moment_earlier(steps: list[tuple[int, int]]) -> None:
    clock = Clock()
    windows = InMemorySlidingWindow(clock=clock)
    for quarters, cost in steps:
        clock.now += quarters / 4
        await windows.hit("a", (FIVE,), cost)
    refused = await windows.hit("a", (FIVE,), 5)
    if refused.allowed:
        refused = await windows.hit("a", (FIVE,), 5)

    clock.now += refused.wait - 0.125
    early = await windows.hit("a", (FIVE,), 5)
    clock.now += 0.125
    in_time = await windows.hit("a", (FIVE,), 5)

    assert (early.allowed, in_time.allowed) == (False, True)


async def test_a_refusal_of_one_window_charges_none_and_more_than_the_limit_is_never_let_in() -> None:
    windows, wide = InMemorySlidingWindow(clock=Clock()), Rule("wide", 100, 10)
    for _ in range(5):
        await windows.hit("a", (wide, FIVE))

    refused = await windows.hit("a", (wide, FIVE))

    assert not refused.allowed
    assert [stats.remaining for stats in refused.windows] == [95, 0]
    assert (await windows.hit("a", (wide,))).windows[0].remaining == 94
    dear = await windows.hit("b", (FIVE,), 6)
    assert (dear.allowed, dear.wait) == (False, 10.0)


@pytest.mark.security("RL-06")
async def test_identities_and_rules_do_not_cost_each_other_anything() -> None:
    windows = InMemorySlidingWindow(clock=Clock())
    for _ in range(9):
        await windows.hit("a", (FIVE,))

    assert (await windows.hit("b", (FIVE,))).windows[0].remaining == 4
    assert (await windows.hit("a", (Rule("other", 5, 10),))).windows[0].remaining == 4


@pytest.mark.slow
@pytest.mark.security("RL-13")
async def test_a_hundred_thousand_addresses_neither_fill_the_memory_nor_free_who_is_blocked() -> None:
    clock = Clock()
    windows = InMemorySlidingWindow(size=1000, clock=clock)
    for _ in range(6):
        await windows.hit("blocked", (FIVE,))

    for number in range(100_000):
        clock.now += 0.000_01
        await windows.hit(f"address:{number}", (FIVE,))

    assert len(windows) <= 1000
    assert not (await windows.hit("blocked", (FIVE,))).allowed
    clock.now += 10
    assert (await windows.hit("blocked", (FIVE,))).allowed


@pytest.mark.security("RL-13")
async def test_where_all_are_blocked_newcomers_share_windows_and_are_still_counted() -> None:
    once, clock = Rule("once", 1, 10), Clock()
    windows = InMemorySlidingWindow(size=50, clock=clock)

    let_in = [(await windows.hit(f"address:{number}", (once,))).allowed for number in range(20_000)]
    again = [(await windows.hit(f"address:{number}", (once,))).allowed for number in range(20_000)]

    assert 50 < sum(let_in) <= 50 + 1024
    assert not any(again)
    assert len(windows) <= 50 + 1024


async def test_windows_that_are_over_are_forgotten_while_others_come() -> None:
    clock = Clock()
    windows = InMemorySlidingWindow(clock=clock)
    for number in range(500):
        await windows.hit(f"early:{number}", (FIVE,))

    clock.now += 11
    for number in range(300):
        await windows.hit(f"late:{number}", (FIVE,))

    assert len(windows) == 300


@pytest.mark.security("RL-13")
async def test_a_long_window_does_not_hide_the_short_ones_that_are_over() -> None:
    clock, hour = Clock(), Rule("hour", 5, 3600)
    windows = InMemorySlidingWindow(clock=clock)
    await windows.hit("ada", (hour,))

    for number in range(5_000):
        clock.now += 0.125
        await windows.hit(f"address:{number}", (FIVE,))

    assert len(windows) < 200


@pytest.mark.security("RL-13")
@pytest.mark.parametrize("seconds", [0.125, 0.000_001])
async def test_a_flood_of_addresses_takes_nobody_the_count_of_a_longer_window(seconds: float) -> None:
    clock, day = Clock(), Rule("day", 10, 86_400)
    windows = InMemorySlidingWindow(size=1_000, clock=clock)
    await windows.hit("ada", (day,), 9)

    for number in range(20_000):
        clock.now += seconds
        await windows.hit(f"address:{number}", (FIVE,))

    assert [(await windows.hit("ada", (day,))).allowed for _ in range(2)] == [True, False]
    assert len(windows) <= 1_001


async def test_a_window_of_many_calls_stays_small_while_it_slides() -> None:
    clock, many = Clock(), Rule("many", 1_000_000, 10)
    windows = InMemorySlidingWindow(clock=clock)

    for _ in range(50_000):
        clock.now += 1 / 64
        charge = await windows.hit("a", (many,))

    assert charge.windows[0].remaining == 1_000_000 - 640
    ((window,),) = (kept.values() for kept in windows._windows.values())
    assert len(window.stamps) < 3000


async def test_a_look_charges_nothing_and_lets_no_full_window_be_forgotten() -> None:
    windows = InMemorySlidingWindow(size=10)
    await windows.hit("ada", (FIVE,), 5)

    looked = await windows.hit("ada", (FIVE,), 0)
    for number in range(1000):
        await windows.hit(f"crowd {number}", (FIVE,))

    assert (looked.allowed, looked.tightest.remaining) == (True, 0)
    assert not (await windows.hit("ada", (FIVE,))).allowed
