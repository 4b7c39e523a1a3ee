"""What handlers and workers work with: one object, made once by the factory."""

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field, replace
from weakref import WeakValueDictionary

from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from app.internal_api.engines.chat.sampled import SampledEngine, SampledReplies
from app.internal_api.engines.extractive.engine import ExtractiveEngine
from app.internal_api.knowledge.documents import Reading
from app.internal_api.principals import Principals
from app.internal_api.settings import InternalApiSettings

UPLOADS_READ_AT_ONCE = 2


class EventHub:
    """Notifies subscribers of a question within this process; changes made by other processes are found by polling."""

    def __init__(self) -> None:
        self.subscribers: defaultdict[str, set[asyncio.Event]] = defaultdict(set)

    def notify(self, question_id: str) -> None:
        """Something of the question was stored."""
        for changed in self.subscribers.get(question_id, ()):
            changed.set()

    @contextmanager
    def subscribe(self, question_id: str) -> Iterator[asyncio.Event]:
        """An event that is set at each change of the question; the subscriber clears it."""
        changed = asyncio.Event()
        self.subscribers[question_id].add(changed)
        try:
            yield changed
        finally:
            self.subscribers[question_id].discard(changed)
            if not self.subscribers[question_id]:
                del self.subscribers[question_id]


class Turns:
    """So many at once, and one of each owner: who sends much waits for his own."""

    def __init__(self, places: int) -> None:
        self._places = asyncio.Semaphore(places)
        self._owners: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    @asynccontextmanager
    async def turn(self, owner: str) -> AsyncIterator[None]:
        """A place, while the context lasts."""
        own = self._owners.setdefault(owner, asyncio.Lock())
        async with own, self._places:
            yield


@dataclass(frozen=True, slots=True)
class Services:
    """Whoever makes a job sets the event that wakes its worker."""

    engine: AsyncEngine
    principals: Principals
    settings: InternalApiSettings
    persona_engine: ExtractiveEngine
    reading: Reading
    admit_link: Callable[[str], Awaitable[None]]
    clock: Callable[[], int]
    link_key: bytes
    hub: EventHub = field(default_factory=EventHub)
    uploads: Turns = field(default_factory=lambda: Turns(UPLOADS_READ_AT_ONCE))
    wake_training: asyncio.Event = field(default_factory=asyncio.Event)
    wake_panels: asyncio.Event = field(default_factory=asyncio.Event)
    wake_exporter: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def is_offline(self) -> bool:
        return type(self.persona_engine) is ExtractiveEngine

    def sampled(self, replies: SampledReplies, model: str) -> "Services":
        """The same, but a model of the caller's answers, where there is no other."""
        return replace(self, persona_engine=SampledEngine(replies, model)) if self.is_offline else self

    def read(self) -> AsyncConnection:
        """A connection, to be entered, that waits for no writer."""
        return self.engine.execution_options(read_only=True).connect()
