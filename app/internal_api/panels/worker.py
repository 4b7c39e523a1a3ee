"""The worker: claims questions one by one, asks a limited number of personas at once, and completes each question."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial
from uuid import uuid4

import structlog
from sqlalchemy.exc import InterfaceError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from app.internal_api.panels.respondent import ClaimedQuestion, PanelDependencies, Row, respond
from app.internal_api.store.leases import Lease, end, give_back, holding, kept_alive
from app.internal_api.store.questions import claim_question, pending_minds, questions, record_answer
from app.internal_api.store.rows import update_row
from app.internal_api.store.studies import Study
from app.internal_api.worker_slots import RETRY_SECONDS, WorkerSlots, beside

log = structlog.get_logger()

INTERRUPTED = {
    "status": "failed",
    "error_code": "INTERRUPTED",
}  # the process died again and again without a single answer
UNREACHABLE = (OperationalError, InterfaceError, PoolTimeout)  # the database is busy or away, and may come back


class PanelWorker:
    """Puts questions to personas. The hub wakes it; questions that other processes stored are found by polling."""

    def __init__(self, dependencies: PanelDependencies) -> None:
        self._dependencies = dependencies
        self._claiming = asyncio.Lock()
        self.hub = dependencies.hub

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Work beside the body; leases are released when it ends, so that the next start continues at once.

        Personas that are being asked by then may finish first: their answers are paid for.
        """
        settings = self._dependencies.settings
        slots = WorkerSlots("panels", self.work_once, settings.panels_at_once, settings.poll_seconds, self.hub.wake)
        async with beside(slots.run()):
            try:
                yield
            finally:
                await self._dependencies.drain.close(settings.panel_drain_seconds)

    async def work_once(self) -> bool:
        """Claim one question and work on it to its end; False when there was none."""
        owner, dependencies = uuid4().hex, self._dependencies
        milliseconds = int(dependencies.settings.panel_lease_seconds * 1000)
        await dependencies.drain.admit()
        try:
            # One slot after the other: two that claim at once would both take a question of the same owner.
            async with self._claiming:
                question = await claim_question(dependencies.engine, owner, dependencies.clock(), milliseconds)
            if question is None:
                return False
            await run(ClaimedQuestion(question, Lease(question.id, owner, milliseconds, questions), dependencies))
        except asyncio.CancelledError:
            await give_back(dependencies.engine, questions, owner)
            raise
        return True


async def run(claimed: ClaimedQuestion) -> None:
    """Work on a claimed question until it is completed, or no longer ours."""
    dependencies, question = claimed.dependencies, claimed.question
    try:
        async with kept_alive(dependencies.engine, claimed.lease, dependencies.clock):
            if question.attempt <= dependencies.settings.panel_attempts:
                await _ask_everybody(claimed)
            await _when_reachable(claimed, partial(_complete, claimed))
    except* Exception:
        # The boundary of a question: it is claimed again, and its fault must not stop the others.
        log.exception("panel.failed", question=question.id)
    finally:
        dependencies.hub.notify(question.id)


async def _ask_everybody(claimed: ClaimedQuestion) -> None:
    async with claimed.dependencies.read() as connection:
        waiting = deque(await pending_minds(connection, claimed.question.id))
    async with asyncio.TaskGroup() as respondents:
        for _ in range(min(claimed.dependencies.settings.panel_concurrency, len(waiting))):
            respondents.create_task(_ask_in_turn(claimed, waiting))


async def _ask_in_turn(claimed: ClaimedQuestion, waiting: deque[str]) -> None:
    drain = claimed.dependencies.drain
    while waiting:
        await drain.admit()
        with drain.request():
            mind_id = waiting.popleft()
            store = partial(_store, claimed, mind_id, await respond(claimed, mind_id))
            try:
                await _when_reachable(claimed, store)
            except asyncio.CancelledError:
                # The answer was paid for; to store it twice changes nothing.
                await store()
                raise


async def _store(claimed: ClaimedQuestion, mind_id: str, values: Row) -> None:
    """Raises LeaseLost."""
    # An answer is progress: only attempts without any count towards giving up.
    question, dependencies = claimed.question, claimed.dependencies
    async with holding(dependencies.engine, claimed.lease, dependencies.clock, attempt=1) as connection:
        await record_answer(connection, question.id, mind_id, values, dependencies.clock())
    dependencies.hub.notify(question.id)


async def _complete(claimed: ClaimedQuestion) -> None:
    """Also when nobody answered: the result shows that. Raises LeaseLost."""
    question, dependencies = claimed.question, claimed.dependencies
    now = dependencies.clock()
    async with dependencies.engine.begin() as connection:
        # The study before the question, in the order of whoever deletes the study: no deadlock.
        await update_row(connection, Study, question.study_id, updated_at=now)
        await end(connection, claimed.lease, now, "completed", engine=dependencies.persona_engine.name[:200])
        await record_answer(connection, question.id, None, INTERRUPTED, now)


async def _when_reachable(claimed: ClaimedQuestion, write: Callable[[], Awaitable[None]]) -> None:
    """Write, and try again for as long as the database is busy or away."""
    while True:
        try:
            return await write()
        except UNREACHABLE as error:
            log.warning("panel.database_unavailable", question=claimed.question.id, error=type(error).__name__)
            await asyncio.sleep(min(claimed.dependencies.settings.poll_seconds, RETRY_SECONDS))
