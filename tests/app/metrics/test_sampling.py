"""What is read rather than counted stands in the metrics."""

import asyncio
import statistics
import time
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from prometheus_client import generate_latest
from sqlalchemy.ext.asyncio import AsyncEngine

from app.metrics import sampling as sampling_module
from app.metrics.metrics import Metrics
from app.metrics.sampling import Sampling
from mcp_server.audit.recorder import Recorder
from mcp_server.audit.sinks import WriterLimits
from oauth.primitives import passwords
from tests.auditing import Memory, call
from tests.edge import PATIENCE


def shown(metrics: Metrics) -> str:
    return generate_latest(metrics.families.shown()).decode()


async def until(is_so: Callable[[], bool]) -> None:
    async with asyncio.timeout(PATIENCE):
        while not is_so():  # noqa: ASYNC110  what is awaited is a figure, and figures tell nobody
            await asyncio.sleep(0.01)


async def answers() -> bool:
    return True


def sampling_of(metrics: Metrics, **parts: Any) -> Sampling:
    """Of a process that has nothing but `parts`."""
    nothing: dict[str, Any] = {
        "runtime": SimpleNamespace(
            breakers={},
            api=SimpleNamespace(
                breakers={}, protection=SimpleNamespace(bulkhead=SimpleNamespace(uses=list, running=0))
            ),
        ),
        "engine": SimpleNamespace(pool=None),
        "verifier": SimpleNamespace(hits=0, misses=0),
        "recorder": Recorder(),
        "store_answers": answers,
    }
    return Sampling(metrics, **nothing | parts)


async def test_it_looks_at_once_and_again_and_stops_with_the_block(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sampling_module, "EVERY", 0.01)
    looks: list[float] = []

    async def jobs() -> dict[str, int]:
        looks.append(1)
        return {}

    async with sampling_of(Metrics(), jobs=jobs).running():
        await until(lambda: len(looks) > 1)
    seen = len(looks)
    await asyncio.sleep(0)

    assert len(looks) == seen


async def test_jobs_are_counted_and_a_database_that_is_away_costs_nothing_but_the_figure() -> None:
    metrics, answers = Metrics(), [{"training": 3}]

    async def jobs() -> dict[str, int]:
        if not answers:
            raise OSError
        return answers.pop()

    async with sampling_of(metrics, jobs=jobs).running():
        await until(lambda: 'job_queue_depth{queue="training"} 3.0' in shown(metrics))
    async with sampling_of(metrics, jobs=jobs).running():
        await asyncio.sleep(0)

    assert 'job_queue_depth{queue="training"} 3.0' in shown(metrics)


async def test_a_cache_that_counts_by_itself_is_counted_once() -> None:
    metrics = Metrics()
    verifier: Any = SimpleNamespace(hits=3, misses=1)
    sampling = sampling_of(metrics, verifier=verifier)

    await sampling.look()
    verifier.hits = 5
    await sampling.look()

    assert 'cache_requests_total{cache="verifications",result="hit"} 5.0' in shown(metrics)
    assert 'cache_requests_total{cache="verifications",result="miss"} 1.0' in shown(metrics)


async def test_a_breaker_is_shown_before_it_ever_changed() -> None:
    metrics = Metrics()
    breakers = {"chat": SimpleNamespace(name="api:chat", state="open")}
    bulkhead = SimpleNamespace(uses=lambda: [("all", 3, 200)], running=3)
    api: Any = SimpleNamespace(breakers=breakers, protection=SimpleNamespace(bulkhead=bulkhead))

    weather = SimpleNamespace(name="weather.test:default", state="closed")
    await sampling_of(metrics, runtime=SimpleNamespace(api=api, breakers={weather.name: weather})).look()

    assert 'upstream_breaker_state{breaker="api:chat"} 2.0' in shown(metrics)
    assert 'upstream_breaker_state{breaker="weather.test:default"} 0.0' in shown(metrics)
    assert 'upstream_bulkhead_in_use{bulkhead="all"} 3.0' in shown(metrics)
    assert "upstream_requests_in_flight 3.0" in shown(metrics)


async def test_what_each_sink_of_the_audit_log_wrote_could_not_write_and_lost_is_counted_once() -> None:
    metrics, sink = Metrics(), Memory()
    recorder = Recorder([sink], limits=WriterLimits(queue=2, every=0.01, first_backoff=0.01))
    sampling = sampling_of(metrics, recorder=recorder)

    sink.is_down = True
    async with recorder.running():
        async with asyncio.timeout(20):
            while not recorder.writers[0].is_failing:  # noqa: ASYNC110  a flag for operators has no event
                await asyncio.sleep(0.005)
        for number in range(5):
            recorder.record(call(number))
        await sampling.look()
        sink.is_down = False
    await sampling.look()
    await sampling.look()

    told = shown(metrics)
    assert 'queue_depth{queue="audit"} 0.0' in told
    assert recorder.writers[0].lost > 0
    assert f'queue_losses_total{{queue="audit"}} {recorder.writers[0].lost}.0' in told
    assert f'audit_rows_total{{outcome="written",sink="memory"}} {len(sink.rows)}.0' in told
    assert f'audit_rows_total{{outcome="failed",sink="memory"}} {recorder.writers[0].rows_failed}.0' in told


async def test_a_connection_that_is_used_is_not_idle(engine: AsyncEngine) -> None:
    metrics = Metrics()
    sampling = sampling_of(metrics, engine=engine)

    async with engine.connect():
        await sampling.look()
        used = shown(metrics)
    await sampling.look()

    assert 'database_connections{state="in_use"} 1.0' in used
    assert 'database_connections{state="in_use"} 0.0' in shown(metrics)
    assert 'database_connections{state="idle"} 1.0' in shown(metrics)


@pytest.mark.slow
@pytest.mark.security("RE-07")
@pytest.mark.usefixtures("passwords_as_shipped")
async def test_hashing_passwords_does_not_hold_the_event_loop() -> None:
    hashes, lags = 6, list[float]()

    work = asyncio.gather(*(passwords.hash_password(f"a long password {number}") for number in range(hashes)))
    while not work.done():
        begun = time.perf_counter()
        await asyncio.sleep(0.001)
        lags.append(time.perf_counter() - begun - 0.001)
    await work

    # Done on the loop, each hash would be one turn of it. The longest turn is the machine's, the median is ours.
    assert len(lags) > 5 * hashes
    assert statistics.median(lags) < 0.05
