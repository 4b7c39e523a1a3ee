"""The limits of the HTTP process, as its settings want them: where is counted, by which rules, and who is told."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from time import perf_counter
from typing import Any

from app.limits.failover import FailoverLimiter
from app.limits.oauth_gate import Hit, OauthGate
from app.limits.redis_clients import open_connection
from app.limits.redis_url import redis_address
from app.limits.redis_windows import RedisWindows
from app.metrics.metrics import Metrics
from app.settings import Settings
from mcp_server.limits.decisions import Decision, Rule
from mcp_server.limits.limits import Limits, Observe, unobserved
from mcp_server.limits.rules import Limited, RateRules, read_tools
from mcp_server.limits.windows import InMemorySlidingWindow
from oauth.endpoints.gate import Gate, OpenGate

PATIENT = 0.25
"""Seconds for a count without which nobody is let in (matrix row FI-03). A sign-in is worth more than a call."""


class Instrumented:
    """A `Limiter` whose checks are counted and timed in the metrics."""

    def __init__(self, hit: Hit, metrics: Metrics) -> None:
        self._hit, self._metrics = hit, metrics

    async def hit(self, identity: str, rules: tuple[Rule, ...], cost: int = 1) -> Decision:
        """As the limiter within; it raises what that raises."""
        started = perf_counter()
        charge = await self._hit(identity, rules, cost)
        if cost:  # a look is no check
            self._metrics.limited(charge.tightest.rule.name, allowed=charge.allowed, seconds=perf_counter() - started)
        return charge


class Limiting:
    """Everything of it that the composition connects. `limits` is None where nothing is limited."""

    def __init__(
        self, settings: Settings, tools: Mapping[str, Limited], metrics: Metrics, observe: Observe = unobserved
    ) -> None:
        self._windows = InMemorySlidingWindow()
        self._redis = _failover(settings, self._windows, metrics)
        self.limits: Limits | None = None
        self.gate: Gate = OpenGate()
        if settings.rate_limit_enabled:
            hit, strict = (self._redis.hit, self._redis.strict_hit) if self._redis else (self._windows.hit,) * 2
            self.limits = Limits(Instrumented(hit, metrics), RateRules.read(settings, tools), observe)
            self.gate = OauthGate(Instrumented(strict, metrics).hit, read_tools(settings.rate_limit_oauth), observe)

    @property
    def is_ready(self) -> bool:
        """Whether Redis has ever answered: a process that never saw it may be told of the wrong one."""
        return self._redis is None or self._redis.has_answered

    @property
    def is_well(self) -> bool:
        return self._redis is None or self._redis.is_up

    def report(self) -> dict[str, Any]:
        """For `components` of the health answer."""
        if self.limits is None:
            return {"status": "off"}
        return {
            "status": "ok" if self.is_well else "degraded",
            "kind": "memory" if self._redis is None else "redis",
            "counting": "shared" if self._redis is not None and self._redis.is_up else "local",
        }

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Connected, where there is something to connect to."""
        if self._redis is None:
            yield
            return
        async with self._redis.running():
            yield


def _failover(settings: Settings, windows: InMemorySlidingWindow, metrics: Metrics) -> FailoverLimiter | None:
    if settings.redis_url is None:
        return None

    def told(is_up: bool) -> None:  # noqa: FBT001  a callback
        metrics.limiter_is_local(is_local=not is_up)

    address = redis_address(settings.redis_url.get_secret_value())
    patience = settings.redis_patience_seconds
    shared, patient = (
        RedisWindows(lambda: open_connection(address), each) for each in (patience, max(patience, PATIENT))
    )
    return FailoverLimiter(shared, windows, patient=patient, workers=settings.rate_limit_workers, changed=told)
