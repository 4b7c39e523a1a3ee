"""How a charge is told: as headers, in a result's `_meta`, and in an error's `data`. Pure."""

from math import ceil
from typing import Any

from mcp_server.errors import RateLimitExceeded
from mcp_server.limits.decisions import Decision

META = "ai.getminds/rateLimit"
"""The member of a result's `_meta`; the same figures as the headers, for transports that have none."""

AT_ONCE = "at-once"
"""The policy of what may be open at a time. It is no window."""

EXPOSED = ("RateLimit", "RateLimit-Policy", "X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset")
"""What a page of another origin is to read of it."""

RawHeaders = list[tuple[bytes, bytes]]
"""As ASGI has them."""


def headers(charge: Decision) -> RawHeaders:
    """The tightest window in the names that clients know, and in those of draft-ietf-httpapi-ratelimit-headers-10.

    Resets are seconds from now in both: clocks need not agree.
    """
    stats = charge.tightest
    rule, remaining, reset = stats.rule, str(stats.remaining).encode(), str(ceil(stats.reset)).encode()
    return [
        (b"x-ratelimit-limit", b"%d" % rule.amount),
        (b"x-ratelimit-remaining", remaining),
        (b"x-ratelimit-reset", reset),
        (b"ratelimit-policy", f'"{rule.name}";q={rule.amount};w={rule.seconds}'.encode()),
        (b"ratelimit", b'"%b";r=%b;t=%b' % (rule.name.encode(), remaining, reset)),
    ]


def window_data(charge: Decision) -> dict[str, Any]:
    """The same, as JSON."""
    stats = charge.tightest
    return {
        "policy": stats.rule.name,
        "limit": stats.rule.amount,
        "window": stats.rule.seconds,
        "remaining": stats.remaining,
        "reset": ceil(stats.reset),
    }


def concurrency_exceeded(limit: int, retry_after: int) -> tuple[RateLimitExceeded, RawHeaders]:
    """The refusal of a call where `limit` calls are open, with its headers: a quota of concurrent requests (section
    2.1.1 there).

    Nothing is said of when there is room, which nobody knows.
    """
    figures = {"policy": AT_ONCE, "limit": limit, "remaining": 0}
    return RateLimitExceeded(retry_after, rateLimit=figures), [
        (b"x-ratelimit-limit", b"%d" % limit),
        (b"x-ratelimit-remaining", b"0"),
        (b"ratelimit-policy", b'"%b";q=%d;qu="concurrent-requests"' % (AT_ONCE.encode(), limit)),
        (b"ratelimit", b'"%b";r=0' % AT_ONCE.encode()),
    ]


def exceeded(charge: Decision) -> RateLimitExceeded:
    """The refusal of a call that was not let in."""
    return RateLimitExceeded(charge.retry_after, rateLimit=window_data(charge))
