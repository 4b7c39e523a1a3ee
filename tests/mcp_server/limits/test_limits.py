"""Who is charged, and who is told."""

import pytest

from mcp_server.errors import RateLimitExceeded
from mcp_server.limits.decisions import Rule
from mcp_server.limits.limits import Limits, RateLimitKey
from mcp_server.limits.rules import RateRules, read_tools
from mcp_server.limits.windows import InMemorySlidingWindow

RULES = RateRules(Rule("anonymous", 2, 60), Rule("authenticated", 5, 60), read_tools("*=3/minute"), {})
ADA = RateLimitKey("subject:ada", signed_in=True)


async def test_a_call_is_charged_to_its_caller_and_its_tool_and_a_refusal_is_told() -> None:
    seen: list[tuple[str, str]] = []
    limits = Limits(InMemorySlidingWindow(), RULES, lambda rule, identity: seen.append((rule, identity)))

    for _ in range(3):
        await limits.admit(ADA, "x")
    with pytest.raises(RateLimitExceeded):
        await limits.admit(ADA, "y")
    listed = await limits.charge(ADA)

    assert seen == [("tools/call", "subject:ada")]
    assert (listed.allowed, listed.windows[0].remaining) == (True, 1)


async def test_who_is_not_signed_in_has_the_smaller_limit() -> None:
    limits, stranger = Limits(InMemorySlidingWindow(), RULES), RateLimitKey("address:192.0.2.1", signed_in=False)

    allowed = [(await limits.charge(stranger)).allowed for _ in range(3)]

    assert allowed == [True, True, False]


async def test_a_look_tells_how_the_window_stands_and_charges_nothing() -> None:
    limits = Limits(InMemorySlidingWindow(), RULES)
    await limits.charge(ADA)

    looked = [(await limits.look(ADA)).tightest.remaining for _ in range(3)]

    assert looked == [4, 4, 4]
