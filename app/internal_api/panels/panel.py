"""A claimed question, and all that is needed to work on it."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from app.internal_api.engines.engine import PersonaEngine
from app.internal_api.knowledge.reading import Search
from app.internal_api.panels.drain import Drain
from app.internal_api.panels.hub import Hub
from app.internal_api.settings import InternalApiSettings
from app.internal_api.store.leases import Lease, holding
from app.internal_api.store.questions import Question


@dataclass(frozen=True, slots=True)
class Means:
    """What questions are worked on with, the same for all."""

    engine: AsyncEngine
    persona_engine: PersonaEngine
    search: Search
    settings: InternalApiSettings
    hub: Hub
    clock: Callable[[], int]
    drain: Drain = field(default_factory=Drain)


@dataclass(frozen=True, slots=True)
class Panel:
    """The right to work on one question, with the means for it."""

    question: Question
    lease: Lease
    means: Means

    def write(self, **values: Any) -> AbstractAsyncContextManager[AsyncConnection]:
        """A transaction that changes the question too, and fails as a whole with LeaseLost."""
        return holding(self.means.engine, self.lease, self.means.clock, **values)

    @asynccontextmanager
    async def read(self) -> AsyncIterator[AsyncConnection]:
        async with self.means.engine.execution_options(read_only=True).connect() as connection:
            yield connection

    def tell(self) -> None:
        """Wake those who follow the question."""
        self.means.hub.tell(self.question.id)
