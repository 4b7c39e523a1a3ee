"""The worker: claims questions one by one, asks a limited number of personas at once, and completes each question."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import asdict
from functools import partial

import structlog

from app.internal_api.engines.chat.sampled import SampledReplies
from app.internal_api.engines.coding import Coded
from app.internal_api.engines.engine import Usage, current_usage
from app.internal_api.panels.codebook import store_coded
from app.internal_api.panels.coder import code_answers
from app.internal_api.panels.respondent import Row, respond
from app.internal_api.services import Services
from app.internal_api.store.leases import Lease
from app.internal_api.store.questions import Question, claim_question, pending_minds, questions, record_answer, told_as
from app.internal_api.store.rows import UNREACHABLE, update_row
from app.internal_api.store.studies import Study
from app.internal_api.workers import RETRY_SECONDS, Worker

log = structlog.get_logger()

# The process died again and again without a single answer.
INTERRUPTED = {"status": "failed", "error_code": "INTERRUPTED"}


class Drain:
    """Graceful shutdown: requests to the engine that have begun may finish, since they are paid for; none begins."""

    def __init__(self) -> None:
        self.closing = False
        self._running: set[asyncio.Future[None]] = set()

    async def admit(self) -> None:
        """Return at once, or never once the process ends: the caller is cancelled then."""
        if self.closing:
            await asyncio.Event().wait()

    @asynccontextmanager
    async def request(self) -> AsyncIterator[None]:
        """Around asking one persona, who has to be admitted, until the answer is handed over to be stored."""
        await self.admit()
        ended = asyncio.get_running_loop().create_future()
        self._running.add(ended)
        try:
            yield
        finally:
            self._running.discard(ended)
            ended.set_result(None)

    async def close(self, seconds: float) -> None:
        """Admit nobody any more, and wait so long for the requests that have begun."""
        self.closing = True
        if self._running:
            await asyncio.wait([*self._running], timeout=seconds)


class PanelWorker(Worker[Question]):
    jobs, claim = questions, staticmethod(claim_question)

    def __init__(self, services: Services) -> None:
        slots, lease_seconds = services.settings.panels_at_once, services.settings.panel_lease_seconds
        super().__init__(services, services.wake_panels, slots=slots, lease_seconds=lease_seconds)
        self._drain = Drain()

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """As of every worker, but personas that are being asked at the end may finish first."""
        async with super().running():
            try:
                yield
            finally:
                await self._drain.close(self.services.settings.panel_drain_seconds)

    async def work_once(self) -> bool:
        """As of every worker; at the end of the process nothing is claimed any more."""
        await self._drain.admit()
        return await super().work_once()

    async def work(self, question: Question, lease: Lease) -> None:
        """Ask everybody who has not answered, and complete the question. Raises LeaseLost."""
        current_usage.set(Usage())
        try:
            if question.attempt <= self.services.settings.panel_attempts:
                async with self.services.read() as connection:
                    waiting = deque(await pending_minds(connection, question.id))
                async with asyncio.TaskGroup() as respondents:
                    for _ in range(min(self.services.settings.panel_concurrency, len(waiting))):
                        respondents.create_task(self._ask_in_turn(question, lease, waiting))
            coded: list[tuple[Question, Coded]] = []  # nothing of it is stored before the question is completed
            if question.type == "qualitative" and question.attempt <= self.services.settings.panel_attempts:
                async with self._drain.request():
                    coded = await code_answers(self._answering(question), question)
            await self._when_reachable(question, partial(self._complete, question, lease, coded))
        finally:
            self.services.hub.notify(question.id)

    async def _ask_in_turn(self, question: Question, lease: Lease, waiting: deque[str]) -> None:
        while waiting:
            async with self._drain.request():
                mind_id = waiting.popleft()
                answer = await respond(self._answering(question), question, mind_id)
                store = partial(self._store, question, lease, mind_id, answer)
                try:
                    await self._when_reachable(question, store)
                except asyncio.CancelledError:
                    # The answer was paid for; to store it twice changes nothing.
                    await store()
                    raise

    async def _store(self, question: Question, lease: Lease, mind_id: str, answer: Row) -> None:
        """Raises LeaseLost."""
        # An answer is progress: only attempts without any count towards giving up.
        async with lease.write(attempt=1) as connection:
            await record_answer(connection, question.id, mind_id, answer, self.services.clock())
        self.services.hub.notify(question.id)

    async def _complete(self, question: Question, lease: Lease, coded: Sequence[tuple[Question, Coded]]) -> None:
        """Also when nobody answered: the result shows that. Raises LeaseLost."""
        now = self.services.clock()
        async with self.services.engine.begin() as connection:
            # The study before the question, in the order of whoever deletes the study: no deadlock.
            await update_row(connection, Study, question.study_id, updated_at=now)
            cost = current_usage.get()
            more = {"usage": asdict(cost)} if cost is not None and cost.calls else {}
            await record_answer(connection, question.id, None, INTERRUPTED, now)
            engine = self._answering(question).persona_engine.name
            if question.sampled is not None:
                engine = await told_as(connection, question.id, engine, self.services.persona_engine.name)
            await lease.end(connection, "completed", engine=engine[:200], **more)
            for asking, codes in coded:
                await store_coded(connection, asking, codes)

    def _answering(self, question: Question) -> Services:
        """With what answers this question: a model of the caller's, where that was asked."""
        if (given := question.sampled) is None:
            return self.services
        return self.services.sampled(SampledReplies(given["replies"]), given["model"])

    async def _when_reachable(self, question: Question, write: Callable[[], Awaitable[None]]) -> None:
        """Write, and try again for as long as the database is busy or away."""
        while True:
            try:
                return await write()
            except UNREACHABLE as error:
                log.warning("panel.database_unavailable", question=question.id, error=type(error).__name__)
                await asyncio.sleep(min(self.services.settings.poll_seconds, RETRY_SECONDS))
