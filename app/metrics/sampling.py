"""What nobody tells is looked at: how late the event loop is, the process, pools, queues and breakers."""

import asyncio
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager

import structlog
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncEngine
from sqlalchemy.pool import QueuePool

from app.metrics.metrics import Metrics
from app.metrics.process import read_process
from app.metrics.shared_folder import take_losses
from mcp_server.audit.recorder import Recorder
from mcp_server.minds_api.api import Api
from oauth.verifier import Verifier

LAG_EVERY = 0.1
"""Seconds between two looks at the event loop's lateness: whatever holds it for longer is seen for sure."""

LOOK_EVERY = 1.0
JOBS_EVERY = 15.0
"""As often as most Prometheus servers ask."""

Look = Callable[[], None]
Jobs = Callable[[], Awaitable[dict[str, int]]]

log = structlog.get_logger(__name__)


class Sampling:
    """Beside the requests of one worker. `jobs` counts what waits in the database, where there are any."""

    def __init__(self, metrics: Metrics, looks: Sequence[Look], jobs: Jobs | None = None) -> None:
        own = [process_look(metrics), losses_look(metrics), metrics.under_way]
        self._metrics, self._looks, self._jobs = metrics, [*looks, *own], jobs

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Look again and again until the block is left."""
        self._metrics.worker_started()
        work = [self._watch_lag(), self._repeat()] if self._metrics.families.counts else []
        tasks = [asyncio.create_task(each) for each in work]
        try:
            yield
        finally:
            for task in tasks:
                task.cancel()
            if tasks:
                await asyncio.wait(tasks)

    async def look(self) -> None:
        """All that costs next to nothing."""
        for look in self._looks:
            look()

    async def _watch_lag(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            begun = loop.time()
            await asyncio.sleep(LAG_EVERY)
            self._metrics.lag(max(0.0, loop.time() - begun - LAG_EVERY))

    async def _repeat(self) -> None:
        counted = -JOBS_EVERY
        while True:
            await self.look()
            if self._jobs is not None and time.monotonic() - counted >= JOBS_EVERY:
                await self._count(self._jobs)
                counted = time.monotonic()
            await asyncio.sleep(LOOK_EVERY)

    async def _count(self, jobs: Jobs) -> None:
        try:
            for name, waiting in (await jobs()).items():
                self._metrics.jobs(name, waiting)
        except (SQLAlchemyError, OSError) as fault:  # the database is away; the next look makes up for it
            log.warning("jobs_not_counted", reason=type(fault).__name__)


def process_look(metrics: Metrics) -> Look:
    return lambda: metrics.process(read_process())


def losses_look(metrics: Metrics) -> Look:
    """Of other workers; one that is alone is lost with its counts."""
    folder = metrics.families.shared
    return lambda: metrics.workers_lost(take_losses(folder)) if folder is not None else None


def protection_look(metrics: Metrics, api: Api) -> Look:
    def look() -> None:
        for breaker in api.breakers.values():
            metrics.breaker(breaker.name, breaker.state)
        for name, taken, most in api.protection.bulkhead.uses():
            metrics.bulkhead(name, taken, most)

    return look


def pool_look(metrics: Metrics, engine: AsyncEngine) -> Look:
    def look() -> None:
        if isinstance(engine.pool, QueuePool):
            metrics.connections(in_use=engine.pool.checkedout(), idle=engine.pool.checkedin())

    return look


def verifier_look(metrics: Metrics, verifier: Verifier) -> Look:
    seen = (0, 0)

    def look() -> None:
        nonlocal seen
        metrics.cached("verifications", verifier.hits - seen[0], verifier.misses - seen[1])
        seen = verifier.hits, verifier.misses

    return look


def audit_look(metrics: Metrics, recorder: Recorder) -> Look:
    """The longest queue of all sinks; and what each wrote, could not write and lost since the last look."""
    seen: Counter[tuple[str, str]] = Counter()

    def since(sink: str, what: str, now: int) -> int:
        before, seen[sink, what] = seen[sink, what], now
        return now - before

    def look() -> None:
        metrics.queue("audit", max((trail.status()["queued"] for trail in recorder.trails), default=0))
        for trail in recorder.trails:
            name = trail.sink.name
            metrics.audited(name, since(name, "written", trail.rows_written), written=True)
            metrics.audited(name, since(name, "failed", trail.rows_failed), written=False)
            metrics.lost("audit", since(name, "lost", trail.lost))

    return look
