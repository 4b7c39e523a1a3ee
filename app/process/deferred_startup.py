"""The beginning of a process whose database does not answer yet: alive, not ready, and open as soon as it does.

An orchestrator starts everything at once, and restarts a worker at any moment. A process that ended for want of its
database would be restarted in circles; one that waited in silence would look dead.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

import structlog
from sqlalchemy.exc import SQLAlchemyError
from starlette.applications import Starlette
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from app.process.server import OPEN
from app.process.shutdown import terminate
from app.storage.engine import first_line, is_passing
from mcp_server.errors import ServiceUnavailable

AGAIN_SECONDS = 1.0
SAYS_SECONDS = 5.0  # between two lines about a database that gives no answer
RETRY_AFTER = 2
NO_STORE = {"cache-control": "no-store"}
WAITING = "the database does not answer yet"

log = structlog.get_logger(__name__)

Prepare = Callable[[], Awaitable[None]]
"""Brings the database up to date, or raises what it said."""


class DeferredStartup:
    """`app`, whose lifespan begins when `prepare` has succeeded.

    A fault that passes by itself is waited out, and told with the address of the `database`; any other ends the start,
    because waiting would not mend it. Meanwhile requests come as far as the middlewares of `app`, except the one
    `without` which it waits. The server learns from the state of the lifespan whether it is open: a worker that waits
    must not take the place of one that serves.
    """

    def __init__(
        self,
        app: Starlette,
        prepare: Prepare,
        *,
        database: str = "",
        without: object = None,
        again: float = AGAIN_SECONDS,
        end: Callable[[], None] = terminate,
    ) -> None:
        self._app, self._prepare, self._database, self._again, self._end = app, prepare, database, again, end
        self._serve: ASGIApp = _closed
        for middleware, arguments, options in reversed(app.user_middleware):  # the first is the outermost
            if middleware is not without:
                self._serve = middleware(self._serve, *arguments, **options)
        self._tried, self._over = asyncio.Event(), asyncio.Event()
        self._state: dict[str, Any] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            self._state = scope.get("state", self._state)
            self._state[OPEN] = False
            await self._lifespan(receive, send)
        else:
            await self._serve(scope, receive, send)

    async def _lifespan(self, receive: Receive, send: Send) -> None:
        await receive()
        running = asyncio.create_task(self._running())
        await _first(running, self._tried.wait())
        if running.done() and (fault := running.exception()):
            # uvicorn takes an exception for an application without a lifespan, so it is told in its own words first.
            await send({"type": "lifespan.startup.failed", "message": first_line(fault)})
            raise fault
        await send({"type": "lifespan.startup.complete"})
        await _first(running, receive())
        if running.done() and (fault := running.exception()):
            # The database came, and is not what it should be. With its port open, a server is ended by a signal only.
            log.error("start_failed", reason=first_line(fault))
            self._end()
            await send({"type": "lifespan.shutdown.failed", "message": first_line(fault)})
            return
        self._over.set()
        if self._serve is not self._app:
            running.cancel()
        with suppress(asyncio.CancelledError):
            await running
        await send({"type": "lifespan.shutdown.complete"})

    async def _running(self) -> None:
        says_at = 0.0
        while True:
            try:
                await self._prepare()
                break
            except (SQLAlchemyError, OSError) as fault:
                if not is_passing(fault):
                    raise
                if time.monotonic() >= says_at:
                    says_at = time.monotonic() + SAYS_SECONDS
                    # Neither the address as it is shown nor the driver's words have the password.
                    reason = f"DATABASE_URL: {self._database} gives no answer ({first_line(fault)})"
                    log.warning("start_waits_for_database", reason=reason)
            self._tried.set()
            await asyncio.sleep(self._again)
        async with self._app.router.lifespan_context(self._app) as state:
            self._state.update(state or {})
            self._serve = self._app
            self._state[OPEN] = True
            self._tried.set()
            await self._over.wait()


async def _first(task: asyncio.Task[None], other: Awaitable[object]) -> None:
    """Until one of the two is done."""
    waiting = asyncio.ensure_future(other)
    await asyncio.wait({task, waiting}, return_when=asyncio.FIRST_COMPLETED)
    waiting.cancel()


async def _closed(scope: Scope, receive: Receive, send: Send) -> None:
    """What is answered meanwhile. Raises ServiceUnavailable: for the edge to render, as it does whatever is asked."""
    match scope["path"]:
        case "/livez":
            answer = JSONResponse({"status": "alive"}, headers=NO_STORE)
        case "/readyz":
            answer = JSONResponse({"status": WAITING}, 503, {**NO_STORE, "retry-after": str(RETRY_AFTER)})
        case _:
            raise ServiceUnavailable(f"Try again in a moment: {WAITING}", retry_after=RETRY_AFTER)
    await answer(scope, receive, send)
