"""What Redis said last holds while it is away, as far as it can still be true."""

from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.limits.shadow_state import LastTold
from mcp_server.limits.decisions import Rule, Standing

HUNDRED = Rule("all", 100, 60)


@dataclass
class Clock:
    now: float = 1000.0

    def __call__(self) -> float:
        return self.now


def told(remaining: int, reset: float, *, workers: int = 1) -> tuple[LastTold, Clock]:
    clock = Clock()
    last = LastTold(workers, clock=clock)
    last.note("ada", (Standing(HUNDRED, remaining, reset),))
    return last, clock


def let_in(last: LastTold, attempts: int) -> int:
    count = 0
    for _ in range(attempts):
        if last.wait("ada", (HUNDRED,), 1) == 0:
            last.owe("ada", (HUNDRED,), (1,))
            count += 1
    return count


@pytest.mark.parametrize(("workers", "share"), [(1, 40), (2, 20), (3, 14), (50, 1)])
def test_as_much_is_let_in_as_was_left_each_process_its_part(workers: int, share: int) -> None:
    last, _ = told(40, 30, workers=workers)

    assert let_in(last, 200) == share


@pytest.mark.parametrize("workers", [1, 3])
def test_a_window_that_was_full_stays_full_until_its_first_unit_leaves(workers: int) -> None:
    last, clock = told(0, 30, workers=workers)

    first = let_in(last, 10)
    clock.now += 29.9
    then = let_in(last, 10)
    clock.now += 15.1
    half_way = let_in(last, 200)
    clock.now += 15
    over = last.wait("ada", (HUNDRED,), 1)

    assert (first, then) == (0, 0)
    assert half_way == (50 if workers == 1 else 17)
    assert over == 0


@given(st.integers(0, 100), st.floats(0, 60), st.integers(1, 5), st.integers(1, 20), st.integers(0, 120))
def test_who_waits_as_told_is_let_in(remaining: int, reset: float, workers: int, cost: int, used: int) -> None:
    last, clock = told(remaining, reset if remaining < 100 else 0.0, workers=workers)
    last.owe("ada", (HUNDRED,), (used,))

    wait = last.wait("ada", (HUNDRED,), cost)
    clock.now += wait

    assert 0 <= wait <= 60
    assert last.wait("ada", (HUNDRED,), cost) < 1e-6


def test_the_figures_say_no_more_than_what_was_told_leaves() -> None:
    last, _ = told(40, 30)
    last.owe("ada", (HUNDRED,), (39,))

    (one_left,) = last.capped("ada", (HUNDRED,), (Standing(HUNDRED, 61, 10.0),))
    last.owe("ada", (HUNDRED,), (1,))
    (none_left,) = last.capped("ada", (HUNDRED,), (Standing(HUNDRED, 60, 10.0),))

    assert one_left == Standing(HUNDRED, 1, 30)
    assert none_left.remaining == 0
    assert 30 <= none_left.reset <= 31
    assert last.capped("eve", (HUNDRED,), (Standing(HUNDRED, 60, 10.0),)) == (Standing(HUNDRED, 60, 10.0),)


def test_what_is_owed_is_told_once() -> None:
    last, _ = told(40, 30)
    last.owe("ada", (HUNDRED,), (7,))

    assert last.owing(10) == [("ada", HUNDRED)]
    assert [last.settle("ada", (HUNDRED,)) for _ in range(2)] == [(7,), (0,)]
    assert last.owing(10) == []
    assert last.settle("eve", (HUNDRED,)) == (0,)


def test_no_more_is_kept_than_its_size_and_full_windows_stay() -> None:
    last = LastTold(size=100)
    last.note("full", (Standing(HUNDRED, 0, 60),))

    for number in range(5000):
        last.note(f"crowd {number}", (Standing(HUNDRED, 99, 60),))

    assert len(last) == 100
    assert last.wait("full", (HUNDRED,), 1) > 0
