"""How a charge is told."""

import pytest

from mcp_server.limiting.charges import Charge, Rule, Standing
from mcp_server.limiting.figures import EXPOSED, at_once_figures, at_once_headers, exceeded, figures, headers

CALLER, TOOL = Rule("authenticated", 1000, 60), Rule("talk_to_ai_persona", 60, 60)
CHARGE = Charge(allowed=False, standings=(Standing(CALLER, 900, 59.0), Standing(TOOL, 0, 12.3)), wait=12.3)


@pytest.mark.security("RL-02")
@pytest.mark.requirement("seed:gateway:limit-headers")
def test_headers_tell_the_tightest_window_in_old_names_and_in_structured_fields() -> None:
    assert headers(CHARGE) == {
        "x-ratelimit-limit": "60",
        "x-ratelimit-remaining": "0",
        "x-ratelimit-reset": "13",
        "ratelimit-policy": '"talk_to_ai_persona";q=60;w=60',
        "ratelimit": '"talk_to_ai_persona";r=0;t=13',
    }
    assert {name.lower() for name in EXPOSED} == set(headers(CHARGE))


def test_json_has_the_same_figures() -> None:
    assert figures(CHARGE) == {"policy": "talk_to_ai_persona", "limit": 60, "window": 60, "remaining": 0, "reset": 13}


def test_a_refusal_says_how_long_to_wait_and_what_was_full() -> None:
    refusal = exceeded(CHARGE)

    assert refusal.data == {"code": "RATE_LIMIT_EXCEEDED", "retryAfter": 13, "rateLimit": figures(CHARGE)}
    assert refusal.retry_after == 13


@pytest.mark.security("RL-02")
def test_what_is_open_at_once_is_a_quota_of_its_own_without_a_reset() -> None:
    told = at_once_headers(20)

    assert told == {
        "x-ratelimit-limit": "20",
        "x-ratelimit-remaining": "0",
        "ratelimit-policy": '"at-once";q=20;qu="concurrent-requests"',
        "ratelimit": '"at-once";r=0',
    }
    assert at_once_figures(20) == {"policy": "at-once", "limit": 20, "remaining": 0}
