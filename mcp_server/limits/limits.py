"""The limits of one process: who is charged, and for what."""

from collections.abc import Callable
from typing import NamedTuple

from mcp_server.limits.decisions import Decision, Hit
from mcp_server.limits.headers import exceeded
from mcp_server.limits.rules import RateRules
from mcp_server.observability.telemetry import no_op


class RateLimitKey(NamedTuple):
    """Whose windows are charged.

    Attributes:
        identity: the account or, where nobody is signed in, the address. All that a hosted client's users share is
            its addresses, so nobody who is signed in is counted by address.

    """

    identity: str
    signed_in: bool


class Limits:
    """Charges requests by `rules` to the windows of `hit`; `refused` is called with the name of a rule that refuses."""

    def __init__(self, hit: Hit, rules: RateRules, refused: Callable[[str], None] = no_op) -> None:
        self.hit, self.rules, self._refused = hit, rules, refused

    async def admit(self, key: RateLimitKey, tool: str) -> Decision:
        """Charge a call of `tool`.

        Raises:
            RateLimitExceeded: it was not let in.

        """
        charge = await self.hit(key.identity, *self.rules.of(signed_in=key.signed_in, tool=tool, is_call=True))
        if not charge.allowed:
            self._refused(charge.tightest.rule.name)
            raise exceeded(charge)
        return charge
