"""The worker: takes up questions one by one, and gives them back when the process ends."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from uuid import uuid4

from app.internal_api.lanes import Lanes, beside
from app.internal_api.panels.panel import Means, Panel
from app.internal_api.panels.runner import run
from app.internal_api.store.leases import Lease, give_back
from app.internal_api.store.questions import claim_question
from app.internal_api.study_tables import questions


class PanelWorker:
    """Puts questions to personas. The hub wakes it; questions that other processes took it finds by looking."""

    def __init__(self, means: Means) -> None:
        self._means = means
        self._claiming = asyncio.Lock()
        self.hub = means.hub

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Work beside the body; leases are released when it ends, so that the next start goes on at once.

        Who is being asked by then may finish first: an answer that is on its way is paid for.
        """
        settings = self._means.settings
        wake = self._means.hub.asked
        lanes = Lanes("panels", self.work_once, settings.panels_at_once, settings.poll_seconds, wake)
        async with beside(lanes.run()):
            try:
                yield
            finally:
                await self._means.drain.close(settings.panel_drain_seconds)

    async def work_once(self) -> bool:
        """Take up one question and work on it to its end; False when there was none."""
        owner = uuid4().hex
        try:
            return await self._work(owner)
        except asyncio.CancelledError:
            await give_back(self._means.engine, questions, owner)
            raise

    async def _work(self, owner: str) -> bool:
        means = self._means
        await means.drain.turn()
        milliseconds = int(means.settings.panel_lease_seconds * 1000)
        # One lane after the other: two that choose at once see the same turns, and take two of one owner.
        async with self._claiming:
            question = await claim_question(means.engine, owner, means.clock(), milliseconds)
        if question is None:
            return False
        await run(Panel(question, Lease(question.id, owner, milliseconds, questions), means))
        return True
