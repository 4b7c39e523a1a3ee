"""What can be done with personas, as the caller of the current request may do it."""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from operator import attrgetter

from mcp_server.caller import current_caller
from mcp_server.minds_api.api import Api
from mcp_server.minds_api.refusals import Conflict, missing_as
from mcp_server.observability.telemetry import CacheLookup, no_op
from mcp_server.toolkit.names import Kind, meant, search
from mcp_server.toolsets.personas._creation import Creations, NewPersona
from mcp_server.toolsets.personas._minds import Minds
from mcp_server.toolsets.personas._training import Training, read_training, tally
from mcp_server.toolsets.personas._wire import Made
from mcp_server.toolsets.personas._words import next_step, not_ready, sentence
from mcp_server.toolsets.personas.models import PersonaList, PersonaProgress, PersonaReply, PersonaRow

KIND = Kind("AI persona", "list_my_ai_personas")

NO_SUCH = "no AI persona of yours has the id {}. Call list_my_ai_personas to see the ids."

MAX_SHOWN = 200
"""Rows in one answer: hosts cut results at some 150,000 characters."""

PAUSES = (0.25, 0.5, 1.0, 2.0)
"""Seconds between looks at a training that is followed; the last one repeats."""


class PersonaService:
    """The personas of whoever calls. `dedup_seconds`: for how long an equal creation is the same one."""

    def __init__(
        self,
        api: Api,
        *,
        dedup_seconds: float,
        pause: Callable[[float], Awaitable[None]] = asyncio.sleep,
        clock: Callable[[], float] = time.monotonic,
        on_lookup: CacheLookup = no_op,
    ) -> None:
        self._minds, self._pause, self._clock = Minds(api), pause, clock
        self._creations = Creations(self._minds.create, ttl=dedup_seconds, on_lookup=on_lookup)

    async def listing(self, query: str | None) -> PersonaList:
        """The caller's personas; with a `query`, those that contain it or else are like it."""
        wanted = (query or "").strip()
        if not wanted:
            rows = await self._minds.everything()
            return PersonaList(personas=rows[:MAX_SHOWN], total=len(rows), search_query=None, approximate=False)
        rows, approximate = _best_first(await self._minds.everything(search=wanted), wanted), False
        if not rows:
            everyone = await self._minds.everything()
            rows = [everyone[index] for index in search(_names(everyone), wanted)]
            approximate = bool(rows)
        return PersonaList(personas=rows[:MAX_SHOWN], total=len(rows), search_query=wanted, approximate=approximate)

    async def create(self, wanted: NewPersona) -> tuple[Made, bool]:
        """A new persona, and whether an equal call made it seconds ago."""
        return await self._creations.create(wanted, current_caller.get())

    async def look(self, made: Made) -> Training:
        """Where the training of a new persona stands. It never fails: the persona exists, whatever this call meets."""
        return await self._look(made, read_training(made.training))

    async def _look(self, made: Made, last: Training) -> Training:
        token = made.demo_token.get_secret_value() if made.demo_token is not None else None
        return await self._minds.training_or(last, made.row.id, demo_token=token)

    async def watch(self, made: Made, training: Training, seconds: float) -> AsyncIterator[tuple[float, Training]]:
        """`training` and each change of it, until it is over or `seconds` have passed.

        With each comes how much is done, from 0 to 100. It rises every time, as the protocol wants it, also where only
        the stage has changed.
        """
        ends, looks, done = self._clock() + seconds, 0, float(training.progress or 0)
        yield done, training
        while not training.over and self._clock() < ends:
            await self._pause(PAUSES[min(looks, len(PAUSES) - 1)])
            looks, last, training = looks + 1, training, await self._look(made, training)
            if training != last:
                done = max(float(training.progress or 0), done + 0.1)
                yield done, training

    async def progress(self, spark_id: str) -> PersonaProgress:
        """Where the training of the persona stands, with its sources."""
        with missing_as(NO_SUCH.format(spark_id)):
            state, row, items = await asyncio.gather(
                self._minds.training(spark_id), self._minds.detail(spark_id), self._minds.sources(spark_id)
            )
        training = read_training(state, items)
        return PersonaProgress(
            spark_id=row.id,
            name=row.name,
            message=sentence(f'"{row.name}": {training.phrase()}'),
            next_step=next_step(training),
            failure=training.failure,
            knowledge=tally(items) if items is not None else None,
            started_at=training.started_at,
            completed_at=training.completed_at,
            **training.facts(),
        )

    async def read(self, spark_id: str) -> PersonaRow:
        """The persona with this id.

        Raises:
            Missing: there is none, or it is not the caller's.

        """
        with missing_as(NO_SUCH.format(spark_id)):
            return await self._minds.detail(spark_id)

    async def find(self, name: str) -> PersonaRow:
        """The persona that is meant by `name`.

        Raises:
            Ambiguous: several have that name.
            NotFound: none has, with the nearest names.

        """
        wanted = " ".join(name.split())
        same = [row for row in await self._minds.everything(search=wanted) if row.name == wanted]
        if len(same) == 1:
            return same[0]
        rows = await self._minds.everything()
        return meant(KIND, wanted, rows, name=attrgetter("name"), id=attrgetter("id"))

    async def talk(self, persona: PersonaRow, messages: Sequence[dict[str, str]]) -> PersonaReply:
        """What the persona answers to the last of `messages`.

        Raises:
            NotReady: it has not been trained yet.

        """
        try:
            with missing_as(NO_SUCH.format(persona.id)):
                return await self._minds.complete(persona, messages)
        except Conflict as conflict:
            if conflict.data.get("code") != "SPARK_NOT_READY":
                raise
            state = {"status": conflict.data.get("trainingStatus"), "readyToChat": False}
            training = await self._minds.training_or(read_training(state), persona.id)
            raise not_ready(persona, training) from None


def _best_first(rows: list[PersonaRow], query: str) -> list[PersonaRow]:
    """Names that fit come first; what else the internal API found (in descriptions, say) keeps its order after them."""
    order = search(_names(rows), query)
    return [rows[index] for index in order] + [row for index, row in enumerate(rows) if index not in set(order)]


def _names(rows: Sequence[PersonaRow]) -> list[str]:
    return [row.name for row in rows]
