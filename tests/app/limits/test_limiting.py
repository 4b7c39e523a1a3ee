"""The limits of the HTTP process, as its settings want them."""

from pathlib import Path

from prometheus_client import generate_latest

from app.limits.limiting import Limiting
from app.metrics.metrics import Metrics
from tests.edge import settings_for
from tests.processes import free_port
from tests.redis import Server


def text(metrics: Metrics) -> bytes:
    return generate_latest(metrics.families.registry)


async def test_without_redis_this_process_counts_and_that_is_well(tmp_path: Path) -> None:
    metrics = Metrics()
    limiting = Limiting(settings_for(tmp_path, rate_limit_authenticated="1/minute"), {}, metrics)

    async with limiting.running():
        assert limiting.limits is not None
        charges = [
            (await limiting.limits.hit("subject:ada", *limiting.limits.rules.of(signed_in=True))).allowed
            for _ in range(2)
        ]

    assert charges == [True, False]
    assert limiting.is_ready
    assert limiting.report() == {"status": "ok", "kind": "memory", "counting": "local"}
    assert b'rate_limit_checks_total{limit="authenticated",verdict="refused"} 1.0' in text(metrics)


async def test_with_redis_all_processes_count_together_and_it_shows_when_they_do_not(
    tmp_path: Path, own: Server
) -> None:
    metrics = Metrics()
    limiting = Limiting(settings_for(tmp_path, redis_url=own.url, redis_patience_seconds=1), {}, metrics)

    before = limiting.is_ready
    async with limiting.running():
        assert limiting.limits is not None
        shared, up = limiting.report(), text(metrics)
        own.kill()
        charge = await limiting.limits.hit("subject:ada", *limiting.limits.rules.of(signed_in=True))
        alone, down = limiting.report(), text(metrics)

    assert (before, limiting.is_ready) == (False, True)
    assert shared == {"status": "ok", "kind": "redis", "counting": "shared"}
    assert alone == {"status": "degraded", "kind": "redis", "counting": "local"}
    assert charge.allowed
    assert b"rate_limit_failover 0.0" in up
    assert b"rate_limit_failover 1.0" in down


async def test_a_redis_that_never_answered_leaves_the_process_unready(tmp_path: Path) -> None:
    limiting = Limiting(settings_for(tmp_path, redis_url=f"redis://127.0.0.1:{free_port()}"), {}, Metrics())

    async with limiting.running():
        assert (limiting.is_ready, limiting.is_well) == (False, False)


def test_limits_that_are_switched_off_are_off_for_everything(tmp_path: Path) -> None:
    limiting = Limiting(settings_for(tmp_path, rate_limit_enabled=False), {}, Metrics())

    assert limiting.limits is None
    assert limiting.gate is None
    assert limiting.report() == {"status": "off"}
