"""How windows stand after a check, and how that is told."""

import pytest

from mcp_server.limits.decisions import Decision, Rule, WindowStats
from mcp_server.limits.headers import EXPOSED, concurrency_exceeded, exceeded, headers

CALLER, TOOL = Rule("authenticated", 1000, 60), Rule("talk_to_ai_persona", 60, 60)
CHARGE = Decision(allowed=False, windows=(WindowStats(CALLER, 900, 59.0), WindowStats(TOOL, 0, 12.3)), wait=12.3)


@pytest.mark.security("RL-02")
@pytest.mark.requirement("seed:gateway:limit-headers")
def test_headers_and_refusals_tell_the_tightest_window_in_old_names_and_in_structured_fields() -> None:
    told = headers(CHARGE)

    assert told == [
        (b"x-ratelimit-limit", b"60"),
        (b"x-ratelimit-remaining", b"0"),
        (b"x-ratelimit-reset", b"13"),
        (b"ratelimit-policy", b'"talk_to_ai_persona";q=60;w=60'),
        (b"ratelimit", b'"talk_to_ai_persona";r=0;t=13'),
    ]
    assert {name.lower().encode() for name in EXPOSED} == {name for name, _value in told}
    shown = {"policy": "talk_to_ai_persona", "limit": 60, "window": 60, "remaining": 0, "reset": 13}
    assert exceeded(CHARGE).data == {"code": "RATE_LIMIT_EXCEEDED", "retryAfter": 13, "rateLimit": shown}


@pytest.mark.security("RL-02")
def test_what_is_open_at_once_is_a_quota_of_its_own_without_a_reset() -> None:
    refusal, told = concurrency_exceeded(20, retry_after=1)

    assert told == [
        (b"x-ratelimit-limit", b"20"),
        (b"x-ratelimit-remaining", b"0"),
        (b"ratelimit-policy", b'"at-once";q=20;qu="concurrent-requests"'),
        (b"ratelimit", b'"at-once";r=0'),
    ]
    assert refusal.data["rateLimit"] == {"policy": "at-once", "limit": 20, "remaining": 0}


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
