"""The limits of the OAuth endpoints, in the windows that all processes share. They fail closed."""

from collections.abc import Mapping

from app.limits.redis_windows import StoreDown
from mcp_server.limits.decisions import Hit, Rule
from mcp_server.limits.headers import headers
from mcp_server.limits.rules import Cost
from oauth.errors import TemporarilyUnavailable, TooManyRequests


class OauthGate:
    """A `Gate` that charges `hit`, which raises `StoreDown` where it cannot tell.

    What is limited here mints tokens and fills the store. Without a count that holds for all processes it waits.
    """

    def __init__(self, hit: Hit, costs: Mapping[str, Cost]) -> None:
        self._hit = hit
        self._costs = {
            word: Cost(Rule(f"oauth/{word}", price.rule.amount, price.rule.seconds), price.cost)
            for word, price in costs.items()
        }

    async def admit(self, endpoint: str, place: str, holder: str | None = None) -> Mapping[str, str]:
        """Count a request of `place`, and give the figures of its window; an endpoint without a limit takes any.

        A `holder` has a window of its own, as large.

        Raises:
            TooManyRequests: there were enough.
            TemporarilyUnavailable: it cannot be counted now.

        """
        price = self._costs.get(endpoint)
        if price is None:
            return {}
        identity = holder or f"address:{place}"
        try:
            charge = await self._hit(identity, (price.rule,), price.cost)
        except StoreDown:
            raise TemporarilyUnavailable("The server cannot count requests at the moment; try again.") from None
        figures = {name.decode(): value.decode() for name, value in headers(charge)}
        if not charge.allowed:
            asking = "of this account" if holder else "from this address"
            raise TooManyRequests(f"Too many requests {asking}; try again later.", charge.retry_after, figures)
        return figures
