"""How a charge is told: as headers, in a result's `_meta`, and in an error's `data`. Pure."""

from math import ceil
from typing import Any

from mcp_server.errors import RateLimitExceeded
from mcp_server.limiting.charges import Charge

META = "ai.getminds/rateLimit"
"""The member of a result's `_meta`; the same figures as the headers, for transports that have none."""

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


def exceeded(charge: Charge) -> RateLimitExceeded:
    """The refusal of a call that was not let in."""
    return RateLimitExceeded(charge.retry_after, rateLimit=figures(charge))
