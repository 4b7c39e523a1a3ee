"""What is read rather than counted: the process, pools, queues and breakers, at each scrape and every 30 seconds."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager

import structlog
from prometheus_client import Counter as MetricsCounter
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncEngine
from sqlalchemy.pool import QueuePool

from app.metrics.metrics import Metrics
from app.metrics.shared_folder import take_losses
from mcp_server.audit.recorder import Recorder
from mcp_server.minds_api.api import Api
from oauth.verifier import Verifier

EVERY = 30.0
"""Seconds. A scrape is answered by one worker; the others' gauges are as old as this at most."""

Look = Callable[[], None]
Jobs = Callable[[], Awaitable[dict[str, int]]]

log = structlog.get_logger(__name__)


class Sampling:
    """Reads what `looks` look at. `jobs` counts what waits in the database, where there are any."""

    def __init__(self, metrics: Metrics, looks: Sequence[Look], jobs: Jobs | None = None) -> None:
        self._looks = [*looks, losses_look(metrics), metrics.look]
        self._metrics, self._jobs = metrics, jobs

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Read again and again until the block is left."""
        self._metrics.worker_started()
        task = asyncio.create_task(self._repeat())
        try:
            yield
        finally:
            task.cancel()
            await asyncio.wait([task])

    async def look(self) -> None:
        """Bring everything up to date."""
        for look in self._looks:
            look()
        try:
            waiting = await self._jobs() if self._jobs is not None else {}
        except (SQLAlchemyError, OSError) as fault:  # the database is away; the next look makes up for it
            log.warning("jobs_not_counted", reason=type(fault).__name__)
            return
        for name, depth in waiting.items():
            self._metrics.jobs[name,].set(depth)

    async def _repeat(self) -> None:
        while self._metrics.families.counts:
            await self.look()
            await asyncio.sleep(EVERY)


def losses_look(metrics: Metrics) -> Look:
    """Of other workers; one that is alone is lost with its counts."""
    folder = metrics.families.shared
    return lambda: metrics.worker_losses.inc(take_losses(folder)) if folder is not None else None


def protection_look(metrics: Metrics, api: Api) -> Look:
    def look() -> None:
        for breaker in api.breakers.values():
            metrics.breaker(breaker.name, breaker.state)
        for name, taken, most in api.protection.bulkhead.uses():
            metrics.bulkheads[name,].set(taken)
            metrics.bulkhead_sizes[name,].set(most)

    return look


def pool_look(metrics: Metrics, engine: AsyncEngine) -> Look:
    def look() -> None:
        if isinstance(engine.pool, QueuePool):
            metrics.connections["in_use",].set(engine.pool.checkedout())
            metrics.connections["idle",].set(engine.pool.checkedin())

    return look


class _Increase:
    """Adds to counters what others have counted by themselves since the last look."""

    def __init__(self) -> None:
        self._seen: Counter[MetricsCounter] = Counter()

    def __call__(self, counter: MetricsCounter, now: int) -> None:
        counter.inc(now - self._seen[counter])
        self._seen[counter] = now


def verifier_look(metrics: Metrics, verifier: Verifier) -> Look:
    increase = _Increase()

    def look() -> None:
        increase(metrics.cache_looks["verifications", "hit"], verifier.hits)
        increase(metrics.cache_looks["verifications", "miss"], verifier.misses)

    return look


def audit_look(metrics: Metrics, recorder: Recorder) -> Look:
    """The longest queue of all sinks; and what each wrote, could not write and lost since the last look."""
    increases = {writer.sink.name: _Increase() for writer in recorder.writers}

    def look() -> None:
        metrics.queues["audit",].set(max((writer.status()["queued"] for writer in recorder.writers), default=0))
        for writer in recorder.writers:
            name, increase = writer.sink.name, increases[writer.sink.name]
            increase(metrics.audit_rows[name, "written"], writer.rows_written)
            increase(metrics.audit_rows[name, "failed"], writer.rows_failed)
            increase(metrics.losses["audit",], writer.lost)

    return look
