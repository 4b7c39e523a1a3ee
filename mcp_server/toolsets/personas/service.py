"""What can be done with personas, as the caller of the current request may do it."""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from functools import partial
from typing import Any

from pydantic import SecretStr

import mcp_server.toolsets.personas._wire as wire
from mcp_server.errors import GatewayError, InvalidArguments, NotFound, NotReady, ToolFailure
from mcp_server.minds_api.api import Api, listed, prompts_of
from mcp_server.minds_api.name_index import NameIndex
from mcp_server.minds_api.operations import Operation
from mcp_server.minds_api.refusals import Conflict, Missing, missing_as
from mcp_server.observability.telemetry import CacheLookup, no_op
from mcp_server.toolkit.json_coercion import mapping
from mcp_server.toolkit.names import Kind, Named, composed, search
from mcp_server.toolkit.sampling import Sampling
from mcp_server.toolsets.personas._answers import PersonaReply, read_reply
from mcp_server.toolsets.personas._bulk import IDEMPOTENCY_KEY, Bulk
from mcp_server.toolsets.personas._creating import Creations
from mcp_server.toolsets.personas._editing import Editor, knowledge_rows
from mcp_server.toolsets.personas._wire import Made, Training
from mcp_server.toolsets.personas.models import PersonaList, PersonaProgress, PersonaRow

KIND = Kind("AI persona", "list_my_ai_personas", "minds")

NO_SUCH = "no AI persona of yours has the id {}. Call list_my_ai_personas to see the ids."

DEMO_TOKEN = "x-minds-demo-token"  # noqa: S105  the name of a header

MAX_SHOWN = 200  # rows in one answer: hosts cut results at some 150,000 characters

PAUSES = (0.25, 0.5, 1.0, 2.0)
"""Seconds between looks at a training that is followed; the last one repeats."""


class PersonaService:
    """The personas of whoever calls. `dedup_seconds`: for how long an equal creation is the same one."""

    def __init__(
        self,
        api: Api,
        names: NameIndex,
        *,
        dedup_seconds: float,
        pause: Callable[[float], Awaitable[None]] = asyncio.sleep,
        clock: Callable[[], float] = time.monotonic,
        on_lookup: CacheLookup = no_op,
    ) -> None:
        self._api, self._names, self._pause, self._clock = api, names, pause, clock
        self.creations = Creations(self._post, ttl=dedup_seconds, on_lookup=on_lookup)
        self.editor = Editor(api, self.progress)
        self.bulk = Bulk(api, self._rows, self._post, self.read, self.progress, clock=clock)

    async def listing(self, query: str | None) -> PersonaList:
        """The caller's personas; with a `query`, those that contain it or else are like it."""
        wanted, approximate = (query or "").strip(), False
        if not wanted:
            told, total = await listed(self._api, "minds", most=MAX_SHOWN)
            return PersonaList(personas=_read(told), total=total, search_query=None, approximate=False)
        found = await self._rows(wanted)
        # Names that fit come first; what else the internal API found (in descriptions, say) keeps its order after them.
        fitting = await asyncio.to_thread(_fitting, found, wanted)
        rows = list({row.id: row for row in [*fitting, *found]}.values())
        if not rows:
            rows = await asyncio.to_thread(_fitting, await self._rows(), wanted)
            approximate = bool(rows)
        return PersonaList(personas=rows[:MAX_SHOWN], total=len(rows), search_query=wanted, approximate=approximate)

    async def look(self, spark_id: str, last: Training, demo_token: SecretStr | None = None) -> Training:
        """Where a training stands or, where that cannot be read, stood `last`: the persona exists all the same."""
        try:
            state = await self._training(spark_id, demo_token)
        except (GatewayError, ToolFailure):
            return last
        training = wire.read_training(state)
        if training.ready_to_chat or not training.over:
            return training
        return wire.read_training(state, await self._source_states(spark_id))  # it may have no source at all

    async def watch(self, made: Made, training: Training, seconds: float) -> AsyncIterator[tuple[float, Training]]:
        """`training` and each change of it, until it is over or `seconds` have passed.

        With each comes how much is done, from 0 to 100. It rises every time, as the protocol wants it, also where only
        the stage has changed.
        """
        ends, looks, done = self._clock() + seconds, 0, float(training.progress or 0)
        yield done, training
        while not training.over and self._clock() < ends:
            await self._pause(PAUSES[min(looks, len(PAUSES) - 1)])
            looks, last, training = looks + 1, training, await self.look(made.row.id, training, made.demo_token)
            if training != last:
                done = max(float(training.progress or 0), done + 0.1)
                yield done, training

    async def progress(self, spark_id: str) -> PersonaProgress:
        """Where the training of the persona stands, with its sources."""
        state, row, items = await asyncio.gather(
            self._training(spark_id), self.read(spark_id), self._source_states(spark_id)
        )
        training = wire.read_training(state, items)
        return PersonaProgress(
            spark_id=row.id,
            name=row.name,
            message=f'"{row.name}": {training.phrase()}',
            next_step=training.next_step(),
            knowledge=wire.tally(items) if items is not None else None,
            **dict(training),
        )

    async def read(self, spark_id: str) -> PersonaRow:
        """The persona with this id. Raises Missing: there is none, or it is not the caller's."""
        with missing_as(NO_SUCH.format(spark_id)):
            return wire.detail(await self._api.call("GET", "minds", spark_id, operation=Operation.POLLING))

    async def meant(self, spark_id: str | None, name: str | None, *, certain: bool = False) -> Named:
        """The persona by its id or its name; `certain` takes no name that is only like it.

        Raises Missing: as `read`; Ambiguous, or NotFound with the nearest names.
        """
        if spark_id is not None:
            return await self.read(spark_id)
        if not name:
            raise InvalidArguments("sparkId or sparkName is required; call list_my_ai_personas to see both")
        found: Named = await self._names.find(KIND, lambda known: known.meant(" ".join(name.split())))
        if certain and composed(found.name).casefold() != composed(name).casefold():
            raise NotFound("AI persona", name, closest=[f"{found.name} (id {found.id})"])
        return found

    async def talk(
        self,
        persona: Named,
        messages: Sequence[Mapping[str, str]],
        policy: str | None = None,
        model: Sampling | None = None,
    ) -> PersonaReply:
        """What the persona answers to the last of `messages`, by the client's `model` where there is no other.

        Raises NotReady: it has not been trained yet; InputRequired: the client has to be asked first.
        """
        said: dict[str, Any] = {"messages": list(messages), **({"sourcePolicy": policy} if policy else {})}
        try:
            if model is not None and model.is_offered:
                prompts = await prompts_of(self._api, ("minds", persona.id), said)
                said |= await model.replies(prompts)
            with missing_as(NO_SUCH.format(persona.id)):
                body = await self._api.call(
                    "POST", "minds", persona.id, "completion", operation=Operation.CHAT, json=said
                )
        except Conflict as conflict:
            if conflict.data.get("code") != "SPARK_NOT_READY":
                raise
            state = {"status": conflict.data.get("trainingStatus"), "readyToChat": False}
            training = await self.look(persona.id, wire.read_training(state))
            told = {"stage", "progress", "poll_after_ms"}
            details = training.model_dump(by_alias=True, include=told, exclude_none=True)
            message = f'"{persona.name}" cannot talk yet: {training.phrase()} {training.next_step()}'
            raise NotReady(message, sparkId=persona.id, trainingStatus=training.status, **details) from None
        return read_reply(body, persona, was_asked="sampled" in said)

    async def _rows(self, query: str = "") -> list[PersonaRow]:
        """Every persona that is listed for `query`, page after page."""
        told, _ = await listed(self._api, "minds", search=query)
        return await asyncio.to_thread(_read, told)

    async def _post(self, body: Mapping[str, Any], key: str) -> Made:
        """A new persona; the same idempotency `key` makes no second one."""
        headers = {IDEMPOTENCY_KEY: key}
        answer = await self._api.call("POST", "minds", operation=Operation.CREATE, json=dict(body), headers=headers)
        return wire.made(answer)

    async def _training(self, spark_id: str, demo_token: SecretStr | None = None) -> Mapping[str, Any]:
        """The training status: by itself or, on an older internal API, with the persona."""
        headers = {DEMO_TOKEN: demo_token.get_secret_value()} if demo_token is not None else None
        get = partial(self._api.call, "GET", "minds", spark_id, operation=Operation.POLLING, headers=headers)
        with missing_as(NO_SUCH.format(spark_id)):
            try:
                return mapping(await get("training"))
            except Missing:
                return wire.training_of(await get())

    async def _source_states(self, spark_id: str) -> list[str] | None:
        """The states of the persona's sources; None where they cannot be read, which callers can do without."""
        try:
            body = await self._api.call("GET", "minds", spark_id, "knowledge", operation=Operation.POLLING)
        except (GatewayError, ToolFailure):
            return None
        rows = knowledge_rows(body)
        return None if rows is None else [row.status for row in rows]


def _read(found: Sequence[Mapping[str, Any]]) -> list[PersonaRow]:
    return [row for item in found if (row := wire.read_row(item)) is not None]


def _fitting(rows: Sequence[PersonaRow], query: str) -> list[PersonaRow]:
    return [rows[index] for index in search([row.name for row in rows], query)]
