"""The endpoints of panels, groups and their members, each answer read into what this toolset works with."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from mcp_server.errors import InvalidArguments, Refused, ServiceUnavailable, Timeout
from mcp_server.minds_api.api import Api, listed, prompts_of
from mcp_server.minds_api.name_index import NameIndex
from mcp_server.minds_api.operations import Operation
from mcp_server.minds_api.refusals import Missing
from mcp_server.toolkit.attributes import attributes_of
from mcp_server.toolkit.json_coercion import items, mapping, text, whole
from mcp_server.toolsets.panels._minds import wire
from mcp_server.toolsets.panels._minds.transcript import Entry, entries
from mcp_server.toolsets.panels._study import AskedQuestion, Group, Study

IDEMPOTENCY_KEY = "x-minds-idempotency-key"
NO_CODING = """\
the Minds API behind this gateway cannot keep a value that is given by hand; only the embedded one can. Tell the user, \
and count the answer apart from the figures"""
NO_PARTS = """\
the Minds API behind this gateway cannot ask a part of a panel; only the embedded one can. Nobody was asked. Tell the \
user, and ask the whole panel, or make a panel of these personas"""
SHORTENED = "The internal API shows only a part of the answers to this question."


@dataclass(frozen=True, slots=True)
class Panel:
    """A panel as it is now. `entries` are its questions, oldest first, with what the internal API calls them."""

    study: Study
    entries: tuple[Entry, ...]

    def entry(self, question_id: str) -> Entry | None:
        """The question with this id, whichever of its ids it is."""
        return next((entry for entry in self.entries if question_id in entry.ids), None)


class Studies:
    """`/studies`, `/audiences` and `/minds`, as the caller of the current request sees them."""

    def __init__(self, api: Api, names: NameIndex, *, now: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        self._api, self.names, self._now = api, names, now

    async def panels(self) -> list[Study]:
        """Every panel, the one that was touched last first."""
        rows, _ = await listed(self._api, "studies")
        return await asyncio.to_thread(lambda: [study(row) for row in rows if text(row, "id") and text(row, "name")])

    async def attributes(self) -> dict[str, dict[str, str]]:
        """What is told of each persona of the caller's, by its id."""
        rows, _ = await listed(self._api, "minds")
        tags = {str(text(row, "id")): [tag for tag in items(row, "tags") if isinstance(tag, str)] for row in rows}
        return {identity: attributes_of(told) for identity, told in tags.items()}

    async def groups(self) -> list[Group]:
        rows, _ = await listed(self._api, "audiences")
        return await asyncio.to_thread(lambda: [group for row in rows if (group := wire.group(row)) is not None])

    async def create_panel(self, body: Mapping[str, Any]) -> Study:
        """A new panel with its new groups: all of it or nothing."""
        answer = await self._api.call("POST", "studies", operation=Operation.CREATE, json=dict(body))
        return study(wire.made(answer, "a panel"))

    async def create_group(self, name: str, persona_ids: Sequence[str], idempotency: str) -> Group:
        """A new group; the same `idempotency` key makes no second one."""
        body, headers = {"name": name, "mindIds": list(persona_ids)}, {IDEMPOTENCY_KEY: idempotency}
        answer = await self._api.call("POST", "audiences", operation=Operation.CREATE, json=body, headers=headers)
        data = wire.made(answer, "a group")
        return wire.group(data) or Group(str(text(data, "id")), str(text(data, "name")))

    async def panel(self, panel_id: str) -> Panel:
        """The panel with all its questions; their answers may still be shortened."""
        data = wire.made(await self._api.call("GET", "studies", panel_id), "a panel")
        found = study(data)
        # In a thread: the answers of a large panel take more of the event loop's time than others can spare.
        return Panel(found, tuple(await asyncio.to_thread(entries, data, found.groups, self._now())))

    async def complete(self, panel: Panel, entry: Entry) -> Entry:
        """`entry` with every answer that there is: a transcript may hold a part of them only."""
        if entry.is_whole or entry.message_id is None:
            return entry
        is_running = entry.asked.status == "processing"
        path = ("studies", panel.study.id, "messages", entry.message_id, "answers")
        try:
            body = await self._api.call("GET", *path, params={"scope": "full"})
        except (Missing, Refused, ServiceUnavailable, Timeout):
            # An older internal API has no such route; what the transcript holds is better than nothing.
            body = None
        if output := mapping(mapping(body).get("outputData")):
            asked = wire.answered(entry.asked, output, panel.study.groups)
            replies = tuple(reply for reply in asked.replies if is_running or reply.status != "pending")
            return replace(entry, asked=replace(asked, replies=replies))
        notes = entry.asked.notes if is_running else (*entry.asked.notes, SHORTENED)
        return replace(entry, asked=replace(entry.asked, notes=notes))

    async def code(self, panel_id: str, entry: Entry, persona_id: str, value: str | None) -> None:
        """Keep the value that somebody gave an answer by hand; None takes it back.

        Raises InvalidArguments: this internal API keeps no such thing, or does not tell the answers apart.
        """
        if not persona_id or entry.message_id is None:
            raise InvalidArguments(NO_CODING)
        try:
            path = ("studies", panel_id, "messages", entry.message_id, "codes")
            await self._api.call("PUT", *path, json={"mindId": persona_id, "value": value})
        except (Missing, Refused) as failure:
            if isinstance(failure, Refused) and failure.reason:
                raise
            raise InvalidArguments(NO_CODING) from None

    async def revise(self, panel: Panel, entry: Entry, body: Mapping[str, Any]) -> AskedQuestion:
        """The question by its revised codes."""
        segments = ("studies", panel.study.id, "messages", entry.message_id or entry.asked.id, "codebook")
        answer = await self._api.call("POST", *segments, json=dict(body))
        return wire.answered(entry.asked, mapping(mapping(answer).get("outputData")), panel.study.groups)

    @asynccontextmanager
    async def ask(self, panel_id: str, body: Mapping[str, Any]) -> AsyncIterator[AsyncIterator[Mapping[str, Any]]]:
        """The events of the question. Raises InvalidArguments: this internal API cannot ask a part of a panel."""
        # A part is asked by an address of its own, so that an API that does not know it asks nobody.
        is_part = "mindIds" in body
        try:
            how = "follow-up" if is_part else "ask"
            async with self._api.stream("POST", "studies", panel_id, how, json=dict(body)) as events:
                yield events
        except Missing:
            if is_part:
                raise InvalidArguments(NO_PARTS) from None
            raise

    async def prompts(self, panel_id: str, body: Mapping[str, Any]) -> Sequence[Any]:
        """What the client's model may be asked for this question."""
        without_id = {key: value for key, value in body.items() if key != "clientRequestId"}
        return await prompts_of(self._api, ("studies", panel_id), without_id)


def study(data: Mapping[str, Any]) -> Study:
    """A panel, in a listing or alone; `data` has its id and name."""
    messages = whole(data, "messageCount")
    return Study(
        str(text(data, "id")),
        str(text(data, "name")),
        tuple(found for each in items(data, "audiences") if (found := wire.group(mapping(each))) is not None),
        text(data, "updatedAt"),
        # Each question is a message, and so is what became of it.
        None if messages is None else (messages + 1) // 2,
    )
