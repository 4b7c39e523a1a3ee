"""How a charge is told: as headers, in a result's `_meta`, and in an error's `data`. Pure."""

from math import ceil
from typing import Any

from mcp_server.errors import RateLimitExceeded
from mcp_server.limiting.charges import Charge

META = "ai.getminds/rateLimit"
"""The member of a result's `_meta`; the same figures as the headers, for transports that have none."""

AT_ONCE = "at-once"
"""The policy of what may be open at a time. It is no window."""

EXPOSED = ("RateLimit", "RateLimit-Policy", "X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset")
"""What a page of another origin is to read of it."""


def headers(charge: Charge) -> dict[str, str]:
    """The tightest window in the names that clients know, and in those of draft-ietf-httpapi-ratelimit-headers-10.

    Resets are seconds from now in both: clocks need not agree.
    """
    standing = charge.tightest
    rule, reset = standing.rule, str(ceil(standing.reset))
    return {
        "x-ratelimit-limit": str(rule.amount),
        "x-ratelimit-remaining": str(standing.remaining),
        "x-ratelimit-reset": reset,
        "ratelimit-policy": f'"{rule.name}";q={rule.amount};w={rule.seconds}',
        "ratelimit": f'"{rule.name}";r={standing.remaining};t={reset}',
    }


def figures(charge: Charge) -> dict[str, Any]:
    """The same, as JSON."""
    standing = charge.tightest
    return {
        "policy": standing.rule.name,
        "limit": standing.rule.amount,
        "window": standing.rule.seconds,
        "remaining": standing.remaining,
        "reset": ceil(standing.reset),
    }


def at_once_headers(limit: int) -> dict[str, str]:
    """The figures where as many calls are open as may be: the quota is of concurrent requests (section 2.1.1 there).

    Nothing is said of when there is room, which nobody knows.
    """
    return {
        "x-ratelimit-limit": str(limit),
        "x-ratelimit-remaining": "0",
        "ratelimit-policy": f'"{AT_ONCE}";q={limit};qu="concurrent-requests"',
        "ratelimit": f'"{AT_ONCE}";r=0',
    }


def at_once_figures(limit: int) -> dict[str, Any]:
    """The same, as JSON."""
    return {"policy": AT_ONCE, "limit": limit, "remaining": 0}


def exceeded(charge: Charge) -> RateLimitExceeded:
    """The refusal of a call that was not let in."""
    return RateLimitExceeded(charge.retry_after, rateLimit=figures(charge))
