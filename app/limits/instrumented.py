"""Checks of the limits, told to the metrics: how each came out, and how long it took."""

from time import perf_counter

from app.limits.oauth_gate import Hit
from app.metrics.metrics import Metrics
from mcp_server.limits.decisions import Charge, Rule


class Watched:
    """A `Limiter` that asks another one."""

    def __init__(self, hit: Hit, metrics: Metrics) -> None:
        self._hit, self._metrics = hit, metrics

    async def hit(self, identity: str, rules: tuple[Rule, ...], cost: int = 1) -> Charge:
        """As the other one does; it raises what that raises."""
        started = perf_counter()
        charge = await self._hit(identity, rules, cost)
        if cost:  # a look is no check
            self._metrics.limited(charge.tightest.rule.name, allowed=charge.allowed, seconds=perf_counter() - started)
        return charge
