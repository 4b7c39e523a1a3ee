"""Each part of what stands before a call is measured, and they are told one a line."""

from bench.protection import measure, table


def test_every_part_and_all_together_take_some_microseconds() -> None:
    told = measure(calls=50)

    assert list(told) == ["breaker", "bulkhead", "deadline", "all three"]
    assert all(0 < each < 10_000 for each in told.values())
    assert len(table(told).splitlines()) == len(told)
