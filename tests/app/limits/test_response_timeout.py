"""When silence is too long."""

from hypothesis import given
from hypothesis import strategies as st

from app.limits.response_timeout import LATE, LATE_PARTS, TURNS, Silence

PATIENCES = st.floats(0.001, 5)


def turns_of(silence: Silence, heard: int = 0, seconds: float = 0.0) -> int:
    """How many it takes from here in which nothing new is heard."""
    turns = 0
    while not silence.is_too_long:
        silence.pass_turn(heard, seconds)
        turns += 1
    return turns


@given(PATIENCES)
def test_silence_lasts_as_long_as_the_patience(patience: float) -> None:
    silence = Silence(patience)

    turns = turns_of(silence)

    assert turns == TURNS
    assert abs(turns * silence.turn_seconds - patience) < 1e-9


@given(PATIENCES, st.lists(st.integers(1, 5), max_size=8))
def test_each_answer_begins_the_silence_anew(patience: float, answers: list[int]) -> None:
    silence, heard, whole = Silence(patience), 0, turns_of(Silence(patience))

    for more in answers:
        for _ in range(whole - 1):
            silence.pass_turn(heard, 0.0)
        assert not silence.is_too_long
        heard += more
        silence.pass_turn(heard, 0.0)

    assert turns_of(silence, heard) == whole


@given(PATIENCES)
def test_turns_that_are_late_one_after_the_other_count_for_a_part_and_still_end(patience: float) -> None:
    silence = Silence(patience)

    turns = turns_of(silence, seconds=2 * LATE * silence.turn_seconds)

    assert turns == LATE_PARTS * TURNS
