"""Which connection goes when there is no room for another."""

from hypothesis import given
from hypothesis import strategies as st

from app.process.connection_limit import RESERVE, Crowd, room


class Guest:
    def __init__(self) -> None:
        self.went = False

    def give_way(self) -> None:
        self.went = True


def test_the_longest_idle_goes_for_a_new_one() -> None:
    crowd, guests = Crowd(2), [Guest() for _ in range(4)]

    assert all(crowd.admit(guest) for guest in guests)

    assert [guest.went for guest in guests] == [True, True, False, False]
    assert len(crowd) == 2


def test_what_is_at_work_stays_and_a_new_one_is_refused() -> None:
    crowd, first, second, third = Crowd(2), Guest(), Guest(), Guest()
    for guest in (first, second):
        crowd.admit(guest)
        crowd.work(guest)

    assert not crowd.admit(third)
    crowd.rest(second)
    assert crowd.admit(third)
    assert [first.went, second.went] == [False, True]


def test_whoever_left_counts_no_more_and_never_rests() -> None:
    crowd, first, second = Crowd(1), Guest(), Guest()
    crowd.admit(first)
    crowd.work(first)

    crowd.leave(first)
    crowd.rest(first)

    assert crowd.admit(second)
    assert not first.went
    assert len(crowd) == 1


@given(st.lists(st.tuples(st.sampled_from(["admit", "work", "rest", "leave"]), st.integers(0, 9)), max_size=60))
def test_there_are_never_more_than_the_limit_and_nobody_at_work_is_sent_away(steps: list[tuple[str, int]]) -> None:
    crowd, guests, working = Crowd(3), [Guest() for _ in range(10)], set[int]()
    for step, number in steps:
        getattr(crowd, step)(guests[number])
        working = working | {number} if step == "work" else working - {number} if step in {"rest", "leave"} else working
        if step == "admit":
            working.discard(number)

        assert len(crowd) <= 3
        assert set(crowd._idle) <= crowd._open


def test_descriptors_are_kept_for_everything_else() -> None:
    assert room(4_000, 65_536) == 4_000
    assert room(4_000, 1_024) == 1_024 - RESERVE
    assert room(4_000, 256) == 128
    assert room(4_000, 1) == 1
