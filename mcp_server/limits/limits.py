"""The limits of one process: who is charged, for what, and who is told of a refusal."""

from collections.abc import Callable
from typing import NamedTuple

from mcp_server.limits.decisions import Decision, Limiter
from mcp_server.limits.headers import exceeded
from mcp_server.limits.rules import RateRules


class RateLimitKey(NamedTuple):
    """Whose windows are charged.

    Attributes:
        identity: the account or, where nobody is signed in, the address. All that a hosted client's users share is
            its addresses, so nobody who is signed in is counted by address.

    """

    identity: str
    signed_in: bool


Observe = Callable[[str, str], None]
"""Told of each refusal: the name of the rule, and the identity that it was for."""


def unobserved(_rule: str, _identity: str) -> None:
    """For a process that nobody watches."""


class Limits:
    """Charges requests by `rules`, in the windows of `limiter`."""

    def __init__(self, limiter: Limiter, rules: RateRules, observe: Observe = unobserved) -> None:
        self.limiter, self.rules, self._observe = limiter, rules, observe

    async def charge(self, key: RateLimitKey, tool: str | None = None, *, is_call: bool = False) -> Decision:
        """One check of all windows of a request."""
        rules, cost = self.rules.of(signed_in=key.signed_in, tool=tool, is_call=is_call)
        charge = await self.limiter.hit(key.identity, rules, cost)
        if not charge.allowed:
            self._observe(charge.tightest.rule.name, key.identity)
        return charge

    async def look(self, key: RateLimitKey) -> Decision:
        """How the window of `key` stands. Nothing is charged."""
        rules, _ = self.rules.of(signed_in=key.signed_in)
        return await self.limiter.hit(key.identity, rules, 0)

    async def admit(self, key: RateLimitKey, tool: str) -> Decision:
        """Charge a call of `tool`.

        Raises:
            RateLimitExceeded: it was not let in.

        """
        charge = await self.charge(key, tool, is_call=True)
        if not charge.allowed:
            raise exceeded(charge)
        return charge
