"""What is read rather than counted: the process, pools, queues and breakers, at each scrape and every 30 seconds."""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager

import structlog
from prometheus_client import Counter as MetricsCounter
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncEngine
from sqlalchemy.pool import QueuePool

from app.metrics.metrics import Metrics
from app.metrics.shared_folder import take_losses
from mcp_server.audit.recorder import Recorder
from mcp_server.runtime import Runtime
from mcp_server.toolkit.tasks import beside
from oauth.verifier import Verifier

EVERY = 30.0
"""Seconds. A scrape is answered by one worker; the others' gauges are as old as this at most."""

log = structlog.get_logger(__name__)


class Sampling:
    """Reads the parts of one process. `jobs` counts what waits in the database, where there are any."""

    def __init__(
        self,
        metrics: Metrics,
        runtime: Runtime,
        engine: AsyncEngine,
        verifier: Verifier,
        recorder: Recorder,
        store_answers: Callable[[], Awaitable[bool]],
        jobs: Callable[[], Awaitable[dict[str, int]]] | None = None,
    ) -> None:
        self._metrics, self._runtime, self._engine, self._jobs = metrics, runtime, engine, jobs
        self._verifier, self._recorder, self._store_answers = verifier, recorder, store_answers
        self._seen: Counter[tuple[str, MetricsCounter]] = Counter()

    def running(self) -> AbstractAsyncContextManager[None]:
        self._metrics.worker_started()
        return beside(self._repeat())

    async def look(self) -> None:
        metrics = self._metrics
        api = self._runtime.api
        for breaker in (*api.breakers.values(), *self._runtime.breakers.values()):
            metrics.breaker(breaker.name, breaker.state)
        for name, taken, most in api.protection.bulkhead.uses():
            metrics.bulkheads[name,].set(taken)
            metrics.bulkhead_sizes[name,].set(most)
        if isinstance(self._engine.pool, QueuePool):
            metrics.connections["in_use",].set(self._engine.pool.checkedout())
            metrics.connections["idle",].set(self._engine.pool.checkedin())
        self._add("", metrics.cache_looks["verifications", "hit"], self._verifier.hits)
        self._add("", metrics.cache_looks["verifications", "miss"], self._verifier.misses)
        self._look_at_audit()
        if metrics.families.shared is not None:  # a worker that is alone is lost with its counts
            metrics.worker_losses.inc(take_losses(metrics.families.shared))
        metrics.look(api.protection.bulkhead.running)
        metrics.store_up.set(await self._store_answers())
        try:
            waiting = await self._jobs() if self._jobs is not None else {}
        except (SQLAlchemyError, OSError) as fault:  # the database is away; the next look makes up for it
            log.warning("jobs_not_counted", reason=type(fault).__name__)
            return
        for name, depth in waiting.items():
            metrics.jobs[name,].set(depth)

    def _look_at_audit(self) -> None:
        """The longest queue of all sinks; and what each wrote, could not write and lost since the last look."""
        metrics, writers = self._metrics, self._recorder.writers
        metrics.queues["audit",].set(max((writer.status()["queued"] for writer in writers), default=0))
        for writer in writers:
            name = writer.sink.name
            self._add(name, metrics.audit_rows[name, "written"], writer.rows_written)
            self._add(name, metrics.audit_rows[name, "failed"], writer.rows_failed)
            self._add(name, metrics.losses["audit",], writer.lost)

    def _add(self, source: str, counter: MetricsCounter, now: int) -> None:
        counter.inc(now - self._seen[source, counter])
        self._seen[source, counter] = now

    async def _repeat(self) -> None:
        while self._metrics.families.counts:
            await self.look()
            await asyncio.sleep(EVERY)
