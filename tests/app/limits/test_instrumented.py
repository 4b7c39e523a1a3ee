"""Checks of the limits, told to the metrics."""

from prometheus_client import generate_latest

from app.limits.instrumented import Watched
from app.metrics.metrics import Metrics
from mcp_server.limits.decisions import Rule
from mcp_server.limits.windows import LeanWindows

RULES = (Rule("anonymous", 1, 60),)


async def test_each_check_is_counted_by_its_rule_and_verdict_and_never_by_who_asked() -> None:
    metrics = Metrics()
    limiter = Watched(LeanWindows().hit, metrics)

    charges = [await limiter.hit("203.0.113.7", RULES) for _ in range(3)]
    await limiter.hit("203.0.113.7", RULES, 0)  # a look is no check

    assert [charge.allowed for charge in charges] == [True, False, False]
    told = generate_latest(metrics.families.registry).decode()
    assert 'rate_limit_checks_total{limit="anonymous",verdict="allowed"} 1.0' in told
    assert 'rate_limit_checks_total{limit="anonymous",verdict="refused"} 2.0' in told
    assert "203.0.113.7" not in told
