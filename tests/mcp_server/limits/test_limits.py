"""Who is charged, and who is told."""

import pytest

from mcp_server.errors import RateLimitExceeded
from mcp_server.limits.limits import Limits, RateLimitKey
from mcp_server.limits.rules import RateRules
from mcp_server.limits.windows import InMemorySlidingWindow

RULES = RateRules("2/minute", "5/minute", "*=3/minute", {})


@pytest.mark.parametrize(
    ("key", "calls", "rule"),
    [
        (RateLimitKey("subject:ada", signed_in=True), 3, "tools/call"),
        (RateLimitKey("address:192.0.2.1", signed_in=False), 2, "anonymous"),
    ],
)
async def test_a_call_is_charged_to_its_caller_and_its_tool_and_a_refusal_is_told(
    key: RateLimitKey, calls: int, rule: str
) -> None:
    seen: list[str] = []
    limits = Limits(InMemorySlidingWindow().hit, RULES, seen.append)

    for _ in range(calls):
        await limits.admit(key, "x")
    with pytest.raises(RateLimitExceeded):
        await limits.admit(key, "y")

    assert seen == [rule]
