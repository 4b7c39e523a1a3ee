"""The words of limiting."""

import pytest

from mcp_server.limits.decisions import Decision, Rule, WindowStats

MINUTE = Rule("a", 100, 60)


@pytest.mark.parametrize(("workers", "share"), [(1, 100), (3, 33), (1000, 1)])
def test_a_share_is_the_whole_part_and_never_nothing(workers: int, share: int) -> None:
    assert MINUTE.share(workers) == Rule("a", share, 60)


def test_the_tightest_window_is_the_one_that_refuses_first_and_for_longest() -> None:
    roomy, tight, long = WindowStats(MINUTE, 7, 60), WindowStats(MINUTE, 3, 1), WindowStats(MINUTE, 3, 50)

    assert Decision(allowed=True, windows=(roomy, tight, long)).tightest is long
    assert Decision(allowed=True, windows=(long, tight, roomy)).tightest is long


@pytest.mark.security("RL-02")
@pytest.mark.parametrize(("wait", "seconds"), [(0.0, 1), (0.2, 1), (1.0, 1), (1.01, 2), (59.5, 60)])
def test_nobody_is_told_to_wait_for_less_than_the_real_wait(wait: float, seconds: int) -> None:
    assert Decision(allowed=False, windows=(WindowStats(MINUTE, 0, wait),), wait=wait).retry_after == seconds
