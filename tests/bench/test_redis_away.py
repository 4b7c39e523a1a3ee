"""Calls go on while Redis is frozen, and after it was killed."""

from pathlib import Path

from bench.measure import Plan
from bench.redis_away import Away, measure, table


def test_no_call_is_lost_whatever_becomes_of_redis(tmp_path: Path) -> None:
    told = measure(Plan(rounds=1, seconds=0.5, connections=4), tmp_path, lambda _words: None)

    assert [one.redis for one in told] == ["well", "frozen", "well again", "killed"]
    assert all(one.calls for one in told)


def test_the_table_says_what_is_allowed() -> None:
    assert "at most 50" in table([Away("frozen", 4, 1, 1.0, 2.0)])
