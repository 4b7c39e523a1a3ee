"""RE-10: what somebody can repeat at will is told a few times and then counted."""

import pytest

from mcp_server.audit.recorder import MOST_KEYS, Sampler


@pytest.mark.security("RE-10")
def test_the_first_few_of_a_key_are_told_and_the_rest_is_counted() -> None:
    sampler = Sampler(per_key=2, in_all=100)

    told = [sampler.admits("authFailure", "here", 1_000.0) for _ in range(5)]

    assert told == [True, True, False, False, False]
    assert sampler.admits("authFailure", "there", 1_000.0)
    assert sampler.held_back(1_030.0) == {}, "the minute is not over"
    assert sampler.held_back(1_060.0) == {"authFailure": 3}
    assert sampler.held_back(1_061.0) == {}, "it was told"
    assert sampler.admits("authFailure", "here", 1_061.0)


@pytest.mark.security("RE-10")
def test_what_is_held_back_in_a_flood_without_end_is_told_once_a_minute() -> None:
    sampler, told = Sampler(per_key=1, in_all=100), []

    for second in range(1_000, 1_200):
        sampler.admits("authFailure", "here", float(second))
        if second % 5 == 0:
            told.append(sampler.held_back(float(second)).get("authFailure", 0))

    assert [count for count in told if count] == [59, 59, 59]


@pytest.mark.security("RE-10")
def test_many_addresses_together_have_their_limit_and_cost_no_more_memory_than_it() -> None:
    sampler = Sampler(per_key=2, in_all=100)

    told = sum(sampler.admits("authFailure", str(number), 1_000.0) for number in range(3 * MOST_KEYS))

    assert told == 100
    assert len(sampler._seen) <= MOST_KEYS
