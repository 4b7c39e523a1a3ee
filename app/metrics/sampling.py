"""`/metrics`: who may read it; and what is read rather than counted, at each scrape and every 30 seconds: the process,
pools, queues and breakers.
"""

import asyncio
import hmac
import re
from collections import Counter
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field

import structlog
from prometheus_client import Counter as MetricsCounter
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4
from prometheus_client.exposition import generate_latest as plain_text
from prometheus_client.openmetrics import exposition as openmetrics
from prometheus_client.openmetrics.exposition import generate_latest as open_text
from pydantic import SecretStr
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncEngine
from sqlalchemy.pool import QueuePool
from starlette.requests import Request
from starlette.responses import Response

from app.metrics.metrics import Metrics
from app.metrics.shared_folder import take_losses
from app.settings import Settings
from app.settings.origins import is_loopback
from mcp_server.audit.recorder import Recorder
from mcp_server.runtime import Runtime
from mcp_server.toolkit.tasks import beside
from oauth.verifier import Verifier

EVERY = 30.0
"""Seconds. A scrape is answered by one worker; the others' gauges are as old as this at most."""

_PORT = re.compile(r":\d*$")
OPENMETRICS = "application/openmetrics-text"

log = structlog.get_logger(__name__)


@dataclass(eq=False)
class Sampling:
    """Reads the parts of one process. `jobs` counts what waits in the database, where there are any."""

    metrics: Metrics
    runtime: Runtime
    engine: AsyncEngine
    verifier: Verifier
    recorder: Recorder
    store_answers: Callable[[], Awaitable[bool]]
    jobs: Callable[[], Awaitable[dict[str, int]]] | None = None
    seen: Counter[tuple[str, MetricsCounter]] = field(default_factory=Counter, init=False)

    def running(self) -> AbstractAsyncContextManager[None]:
        self.metrics.worker_started()
        return beside(self._repeat())

    async def answer(self, settings: Settings, request: Request) -> Response:
        """In one of the two formats."""
        if not may_scrape(request, settings.metrics_token, is_production=settings.is_production):
            return Response(status_code=403)
        if not self.metrics.families.counts:
            return Response(status_code=404)
        await self.look()
        # OpenMetrics for whoever asks for it: only that format has exemplars.
        is_open = OPENMETRICS in request.headers.get("accept", "")
        body = await asyncio.to_thread(open_text if is_open else plain_text, self.metrics.families.shown())
        media_type = openmetrics.CONTENT_TYPE_LATEST if is_open else CONTENT_TYPE_PLAIN_0_0_4
        return Response(body, media_type=media_type, headers={"cache-control": "no-store"})

    async def look(self) -> None:
        metrics = self.metrics
        api = self.runtime.api
        for breaker in (*api.breakers.values(), *self.runtime.breakers.values()):
            metrics.breaker(breaker.name, breaker.state)
        for name, taken, most in api.protection.bulkhead.uses():
            metrics.bulkheads[name,].set(taken)
            metrics.bulkhead_sizes[name,].set(most)
        if isinstance(self.engine.pool, QueuePool):
            metrics.connections["in_use",].set(self.engine.pool.checkedout())
            metrics.connections["idle",].set(self.engine.pool.checkedin())
        self._add("", metrics.cache_looks["verifications", "hit"], self.verifier.hits)
        self._add("", metrics.cache_looks["verifications", "miss"], self.verifier.misses)
        self._look_at_audit()
        if metrics.families.shared is not None:  # a worker that is alone is lost with its counts
            metrics.worker_losses.inc(take_losses(metrics.families.shared))
        metrics.look(api.protection.bulkhead.running)
        metrics.store_up.set(await self.store_answers())
        try:
            waiting = await self.jobs() if self.jobs is not None else {}
        except (SQLAlchemyError, OSError) as fault:  # the database is away; the next look makes up for it
            log.warning("jobs_not_counted", reason=type(fault).__name__)
            return
        for name, depth in waiting.items():
            metrics.jobs[name,].set(depth)

    def _look_at_audit(self) -> None:
        """The longest queue of all sinks; and what each wrote, could not write and lost since the last look."""
        metrics, writers = self.metrics, self.recorder.writers
        metrics.queues["audit",].set(max((writer.status()["queued"] for writer in writers), default=0))
        for writer in writers:
            name = writer.sink.name
            self._add(name, metrics.audit_rows[name, "written"], writer.rows_written)
            self._add(name, metrics.audit_rows[name, "failed"], writer.rows_failed)
            self._add(name, metrics.losses["audit",], writer.lost)

    def _add(self, source: str, counter: MetricsCounter, now: int) -> None:
        counter.inc(now - self.seen[source, counter])
        self.seen[source, counter] = now

    async def _repeat(self) -> None:
        while self.metrics.families.counts:
            await self.look()
            await asyncio.sleep(EVERY)


def may_scrape(request: Request, token: SecretStr | None, *, is_production: bool) -> bool:
    """With a token set: whoever has it. Without: only this machine itself, spoken to directly.

    In production that cannot be told: a proxy on this machine may pass strangers on without a word of them.
    """
    if token is not None:
        given = request.headers.get("authorization", "")
        return hmac.compare_digest(given.encode(), f"Bearer {token.get_secret_value()}".encode())
    if is_production or {"forwarded", "x-forwarded-for", "x-real-ip"} & set(request.headers.keys()):
        return False
    # The name too: a page may have its own point here, and then asks from this machine.
    name = _PORT.sub("", request.headers.get("host", ""))
    return is_loopback(name) and request.client is not None and is_loopback(request.client.host)
