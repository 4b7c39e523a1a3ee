"""The limits of the OAuth endpoints."""

import pytest

from app.limits.limiting import OauthGate
from mcp_server.limits.decisions import Decision, Rule, StoreDown
from mcp_server.limits.rules import read_tools
from mcp_server.limits.windows import InMemorySlidingWindow
from oauth.errors import TemporarilyUnavailable, TooManyRequests

TOLLS = read_tools("register=2/10minutes,token=5/minute")


async def away(_identity: str, _rules: tuple[Rule, ...], _cost: int) -> Decision:
    raise StoreDown


async def test_each_endpoint_and_each_place_has_its_own_limit_and_a_refusal_is_told() -> None:
    gate = OauthGate(InMemorySlidingWindow().hit, TOLLS)

    for _ in range(2):
        await gate.admit("register", "192.0.2.1")
    with pytest.raises(TooManyRequests) as refused:
        await gate.admit("register", "192.0.2.1")
    await gate.admit("register", "192.0.2.2")
    told = await gate.admit("token", "192.0.2.1")

    assert (told["x-ratelimit-limit"], told["x-ratelimit-remaining"]) == ("5", "4")
    assert told["ratelimit-policy"] == '"oauth/token";q=5;w=60'
    assert refused.value.figures["x-ratelimit-remaining"] == "0"
    assert await gate.admit("introspect", "192.0.2.1") == {}
    assert 590 < refused.value.retry_after <= 600


@pytest.mark.security("RL-06")
async def test_a_holder_has_a_window_of_its_own_wherever_it_asks() -> None:
    gate = OauthGate(InMemorySlidingWindow().hit, TOLLS)
    for _ in range(5):
        await gate.admit("token", "192.0.2.1")

    told = [await gate.admit("token", f"192.0.2.{number}", "account:1") for number in (1, 2)]

    assert [figures["x-ratelimit-remaining"] for figures in told] == ["4", "3"]
    for _ in range(3):
        await gate.admit("token", "192.0.2.3", "account:1")
    with pytest.raises(TooManyRequests, match="requests of this account; try again later"):
        await gate.admit("token", "192.0.2.3", "account:1")
    with pytest.raises(TooManyRequests):
        await gate.admit("token", "192.0.2.1")


@pytest.mark.security("FI-02")
async def test_what_cannot_be_counted_is_not_let_in() -> None:
    with pytest.raises(TemporarilyUnavailable):
        await OauthGate(away, TOLLS).admit("token", "192.0.2.1")
