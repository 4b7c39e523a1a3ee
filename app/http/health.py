"""What operators ask: is it alive, is it ready, how is it."""

import asyncio
import math
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.metadata import version
from typing import Any

from sqlalchemy import text
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncEngine
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from app.internal_api.engines.engine import UNASKED
from app.internal_api.engines.extractive.engine import ExtractiveEngine
from app.limits.limiting import Limiting
from app.metrics.metrics import Metrics
from app.process.shutdown import Drain
from app.storage.drivers import ThreadedEngine
from mcp_server.audit.recorder import Recorder
from mcp_server.minds_api.refusals import fault_of
from mcp_server.runtime import Runtime
from mcp_server.upstream.breaker import CircuitBreaker

STORE_SECONDS = 2.0
"""For the database to answer; an orchestrator asks again long before a frozen one would."""

NO_STORE = {"cache-control": "no-store"}


@dataclass(eq=False)
class Health:
    """Answers `GET /mcp`, `/livez` and `/readyz`."""

    engine: AsyncEngine
    runtime: Runtime
    metrics: Metrics
    recorder: Recorder
    limiting: Limiting
    drain: Drain = field(default_factory=Drain)
    personas: ExtractiveEngine | None = None
    started: float = field(default_factory=time.monotonic, init=False)
    question: asyncio.Task[bool] | None = field(default=None, init=False)

    async def mcp(self, request: Request) -> Response:
        """The report for operators. A client that wants the old event stream is told that there is none."""
        if "text/event-stream" in request.headers.get("accept", "").lower():
            return Response(status_code=405, headers={"allow": "POST"})
        return JSONResponse(await self.report(), headers=NO_STORE)

    async def live(self, _request: Request) -> Response:
        return JSONResponse({"status": "alive"}, headers=NO_STORE)

    async def ready(self, _request: Request) -> Response:
        if self.drain.begun:
            status = "the process is ending"
        elif not self.limiting.is_ready:
            status = "Redis has not answered yet"
        else:
            status = "ready" if await self.store_answers() else "the database does not answer"
        if status == "ready":
            return JSONResponse({"status": status}, headers=NO_STORE)
        return JSONResponse({"status": status}, 503, headers={**NO_STORE, "retry-after": "1"})

    async def report(self) -> dict[str, Any]:
        """`status` is `degraded` while anything below it is not well; the process still serves what it can."""
        breakers, own = states(self.runtime.api.breakers), states(self.runtime.breakers)
        store = await self.store_answers()
        audit = self.recorder.status()
        model = language_model(self.personas)
        well = store and self.limiting.is_well and audit["status"] == "ok" and model.get("status") != "failing"
        well = well and all(breaker["state"] == "closed" for breaker in (*breakers.values(), *own.values()))
        return {
            "status": "ok" if well else "degraded",
            "version": version("minds-gateway"),
            "uptime": round(time.monotonic() - self.started, 1),
            "components": {
                "internalApi": {"breakers": breakers},
                **({"upstreams": {"breakers": own}} if own else {}),
                **({"languageModel": model} if model else {}),
                "limits": self.limiting.report(),
                "audit": audit,
                "store": {"status": "ok" if store else "down", "kind": self.engine.dialect.name},
            },
            "metrics": {"toolCalls": self.metrics.calls, "toolFailures": self.metrics.failures},
        }

    async def store_answers(self) -> bool:
        """Whether it answered in time. A question that hangs is not asked again: its answer is waited for."""
        if self.question is None or self.question.done():
            self.question = asyncio.create_task(self._ask_store())
        # Waited for and not cancelled: closing a connection to a frozen database takes as long as the database does.
        await asyncio.wait([self.question], timeout=STORE_SECONDS)
        return self.question.done() and self.question.result()

    async def _ask_store(self) -> bool:
        engine = self.engine
        try:
            async with engine.execution_options(read_only=True).connect() as connection:
                await connection.execute(text("SELECT 1"))
            if isinstance(engine, ThreadedEngine) and engine.is_full:
                async with engine.begin() as connection:
                    await connection.execute(text("PRAGMA user_version = 0"))  # unused, and written all the same
                engine.is_full = False
        except (SQLAlchemyError, OSError):
            return False
        return True


def language_model(engine: ExtractiveEngine | None) -> dict[str, Any]:
    """Where it is, and what was wrong when this process last asked it; empty where there is none."""
    if engine is None or engine.host is None:
        return {}
    where, failure = {"host": engine.host, "engine": engine.name}, engine.failure
    if failure is None or failure.kind == UNASKED:
        return {"status": "ok" if failure is None else "not asked yet", **where}
    return {"status": "failing", **where, "reason": fault_of(failure.code, failure.host) or failure.kind}


def states(breakers: Mapping[str, CircuitBreaker]) -> dict[str, dict[str, Any]]:
    """As the report shows them. Rounded up: an open one says 0 only when it lets a call in."""
    return {
        operation: {"state": breaker.state, "retryAfter": math.ceil(breaker.retry_after * 10) / 10}
        for operation, breaker in breakers.items()
    }
