"""The limits of the HTTP process, as its settings want them: where is counted, and by which rules."""

from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager, nullcontext
from pkgutil import resolve_name
from time import perf_counter
from typing import TYPE_CHECKING, Any

from app.limits.redis_url import redis_address
from app.metrics.metrics import Metrics
from app.settings import Settings
from mcp_server.limits.decisions import Decision, Hit, Rule, StoreDown
from mcp_server.limits.headers import headers
from mcp_server.limits.rules import Cost, Limited, Limits, RateRules, read_tools
from mcp_server.limits.windows import InMemorySlidingWindow
from oauth.endpoints.gate import Gate
from oauth.errors import TemporarilyUnavailable, TooManyRequests

if TYPE_CHECKING:
    from app.limits.failover import FailoverLimiter

REDIS = "redis_clients:open_connection", "redis_windows:RedisWindows", "failover:FailoverLimiter"
"""In this package. They are imported with their driver, 8 MB, only where there is a Redis."""

PATIENT = 0.25
"""Seconds for a count without which nobody is let in (matrix row FI-03). A sign-in is worth more than a call."""


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
        """As `Gate` says. A `holder` has a window of its own, as large; an endpoint without a limit takes any."""
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


class Limiting:
    """Everything of it that the composition connects. `limits` is None where nothing is limited."""

    def __init__(self, settings: Settings, tools: Mapping[str, Limited], metrics: Metrics) -> None:
        windows = InMemorySlidingWindow()
        self._redis = _failover(settings, windows, metrics)
        self.limits: Limits | None = None
        self.gate: Gate | None = None
        if settings.rate_limit_enabled:
            hit, strict = (self._redis.hit, self._redis.strict_hit) if self._redis else (windows.hit,) * 2
            rules = RateRules(
                settings.rate_limit_anonymous, settings.rate_limit_authenticated, settings.rate_limit_tools, tools
            )
            self.limits = Limits(_instrumented(hit, metrics), rules)
            self.gate = OauthGate(_instrumented(strict, metrics), read_tools(settings.rate_limit_oauth))

    @property
    def is_ready(self) -> bool:
        """Whether Redis has ever answered: a process that never saw it may be told of the wrong one."""
        return self._redis is None or self._redis.has_answered

    @property
    def is_well(self) -> bool:
        return self._redis is None or self._redis.is_up

    def report(self) -> dict[str, Any]:
        if self.limits is None:
            return {"status": "off"}
        return {
            "status": "ok" if self.is_well else "degraded",
            "kind": "memory" if self._redis is None else "redis",
            "counting": "shared" if self._redis is not None and self._redis.is_up else "local",
        }

    def running(self) -> AbstractAsyncContextManager[None]:
        return nullcontext() if self._redis is None else self._redis.running()


def _instrumented(hit: Hit, metrics: Metrics) -> Hit:
    async def instrumented(identity: str, rules: tuple[Rule, ...], cost: int) -> Decision:
        started = perf_counter()
        charge = await hit(identity, rules, cost)
        if cost:  # a look is no check
            verdict = "allowed" if charge.allowed else "refused"
            metrics.limit_checks[charge.tightest.rule.name, verdict].inc()
            metrics.limit_seconds.observe(perf_counter() - started)
        return charge

    return instrumented


def _failover(settings: Settings, windows: InMemorySlidingWindow, metrics: Metrics) -> "FailoverLimiter | None":
    if settings.redis_url is None:
        return None

    def changed(is_up: bool) -> None:  # noqa: FBT001  a callback
        metrics.failed_over.set(not is_up)
        metrics.failovers.inc(not is_up)

    address = redis_address(settings.redis_url.get_secret_value())
    patience, workers = settings.redis_patience_seconds, settings.rate_limit_workers
    opened, windows_of, limiter_of = (resolve_name(f"{__package__}.{name}") for name in REDIS)
    shared, patient = (windows_of(lambda: opened(address), each) for each in (patience, max(patience, PATIENT)))
    limiter: FailoverLimiter = limiter_of(shared, windows, patient=patient, workers=workers, changed=changed)
    return limiter
