"""What personas know, given and taken back; and personas trained again, renamed and deleted."""

import base64
import binascii
from collections.abc import Awaitable, Callable, Mapping
from typing import Annotated, Any
from urllib.parse import unquote, urlsplit

from pydantic import BaseModel, Field

from mcp_server.errors import Ambiguous, InvalidArguments, NotFound, NotReady
from mcp_server.minds_api.api import Api
from mcp_server.minds_api.operations import Operation
from mcp_server.minds_api.refusals import UNREADABLE, Conflict, missing_as
from mcp_server.toolkit import json_coercion as reading
from mcp_server.toolkit.answers import Answer, Untrusted
from mcp_server.toolkit.arguments import ONE_LINE, PLAIN_TEXT, TRIMMED
from mcp_server.toolkit.folding import fold
from mcp_server.toolkit.names import Named
from mcp_server.toolkit.quotations import neutralized, quoted
from mcp_server.toolsets.personas import _wire as wire
from mcp_server.toolsets.personas.models import PersonaProgress, ToldStatus

MOST_TEXT, MOST_BYTES = 1_000_000, 3_000_000
BUSY = "its sources are being read just now; wait until check_ai_persona_training_progress says that it is done"


class FileResource(BaseModel):
    """The contents of an MCP resource (2025-11-25, server/resources): a `blob` in base64, or `text`."""

    uri: Annotated[
        str, TRIMMED, Field(min_length=1, max_length=2_048, description="Its last part names the file."), ONE_LINE
    ]
    media_type: Annotated[str, TRIMMED, Field(max_length=255), ONE_LINE] | None = Field(None, alias="mimeType")
    blob: Annotated[str, Field(max_length=MOST_BYTES * 4 // 3 + 4, description="Base64.")] | None = None
    text: Annotated[str, Field(max_length=MOST_TEXT), PLAIN_TEXT] | None = None

    def upload(self) -> tuple[str, bytes, str]:
        """Name, content and media type. Raises InvalidArguments: there is no content, or it is not base64."""
        name = unquote(urlsplit(self.uri).path).rstrip("/").rpartition("/")[2] or "file"
        if (self.text is None) == (self.blob is None):
            raise InvalidArguments("file takes one of blob (base64) and text")
        if self.text is not None:
            return name, self.text.encode(), self.media_type or "text/plain"
        try:
            content = base64.b64decode(self.blob or "", validate=True)
        except binascii.Error:
            raise InvalidArguments("file.blob must be base64, without line breaks") from None
        return name, content, self.media_type or "application/octet-stream"


class ChangedPersona(Answer):
    """A persona after a change."""

    spark_id: str
    name: str
    message: str
    next_step: str
    untrusted: Untrusted = ("$.name", "$.message")

    def as_text(self) -> str:
        return "\n".join(filter(None, [self.message, self.next_step, f"sparkId: {self.spark_id}"]))


class KnowledgeRow(Answer):
    """Something that a persona was given to know."""

    id: str
    title: str
    link: str | None
    status: ToldStatus
    error: Annotated[str | None, Field(description="Why it could not be read.")]

    def line(self) -> str:
        state = "" if self.status == "completed" else f" - {self.error or 'being read'}"
        return f"- {self.title} [id {self.id}]{f' {self.link}' if self.link else ''}{state}"


class KnowledgeList(Answer):
    """What a persona was given to know."""

    spark_id: str
    name: str
    items: list[KnowledgeRow]
    untrusted: Untrusted = ("$.name", "$.items")

    def as_text(self) -> str:
        if not self.items:
            return f'"{self.name}" was given nothing to know yet; add_knowledge does that. sparkId: {self.spark_id}'
        heading = f'"{self.name}" was given {len(self.items)} to know [sparkId {self.spark_id}]:'
        return "\n".join([heading, *(quoted(item.line()) for item in self.items)])


class Editor:
    """Changes personas that were found; `progress` reads how far the training of one is."""

    def __init__(self, api: Api, progress: Callable[[str], Awaitable[PersonaProgress]]) -> None:
        self._api, self._progress = api, progress

    async def add(
        self, persona: Named, *, text: str | None, link: str | None, file: FileResource | None, title: str | None
    ) -> ChangedPersona:
        """Give the persona one source. A text goes as a file, which every Minds API takes.

        Raises InvalidArguments: not exactly one source; Refused: it cannot be read.
        """
        if sum(source is not None for source in (text, link, file)) != 1:
            raise InvalidArguments("give exactly one of text, link and file")
        about: dict[str, Any] = {"description": title, "regeneratePrompt": True}
        if link is not None:
            said: dict[str, Any] = {"json": {"link": link, **{key: value for key, value in about.items() if value}}}
        else:
            upload = file.upload() if file else (f"{title or 'Text'}.txt", (text or "").encode(), "text/plain")
            called = title or (None if file else "Text")  # a file may have a title of its own
            form = {"description": (None, called)} if called else {}
            said = {"files": {**form, "regeneratePrompt": (None, "true"), "file": upload}}
        body = await self._call(persona, "POST", "knowledge", operation=Operation.CREATE, **said)
        row = knowledge_row(reading.mapping(reading.mapping(body).get("data")))
        return await self._changed(persona, f"was given {row.title}" if row else "was given a source")

    async def items(self, persona: Named) -> KnowledgeList:
        """What the persona was given to know."""
        rows = knowledge_rows(await self._call(persona, "GET", "knowledge"))
        return KnowledgeList(spark_id=persona.id, name=persona.name, items=rows or [])

    async def remove(self, persona: Named, item: str) -> ChangedPersona:
        """Take one source away, by its id or its whole title. Raises NotFound, Ambiguous, NotReady."""
        rows = (await self.items(persona)).items
        found = [row for row in rows if item in {row.id, row.title, neutralized(row.title)}]
        if not found:
            near = [row.title for row in rows if fold(item) in fold(row.title)]
            raise NotFound("source of this persona", item, closest=near[:3], listed_by="list_knowledge")
        if len(found) > 1:
            raise Ambiguous("source", item, [f"{row.title} (id {row.id})" for row in found])
        await self._call(persona, "DELETE", "knowledge", found[0].id)
        return await self._changed(persona, f"knows nothing from {found[0].title} any more", retrain=True)

    async def retrain(self, persona: Named) -> ChangedPersona:
        """Have every source read again. Raises NotReady: it is being trained, or knows nothing."""
        if (await self._progress(persona.id)).status == "empty":
            raise NotReady(f'"{persona.name}" knows nothing yet: call add_knowledge, which has it trained as well')
        await self._call(persona, "POST", "retrain")
        return await self._changed(persona, "is being trained again")

    async def rename(self, persona: Named, name: str) -> ChangedPersona:
        row = wire.detail(await self._call(persona, "PUT", json={"name": name}))
        message = f'"{persona.name}" is called "{row.name}" now.'
        return ChangedPersona(spark_id=row.id, name=row.name, message=message, next_step="")

    async def delete(self, persona: Named) -> ChangedPersona:
        await self._call(persona, "DELETE")
        message = f'"{persona.name}" was deleted with all that it knew; answers that it gave to panels stay.'
        return ChangedPersona(spark_id=persona.id, name=persona.name, message=message, next_step="")

    async def _call(self, persona: Named, method: str, *segments: str, **said: Any) -> Any:
        try:
            with missing_as(f'"{persona.name}" is no persona of yours any more. Call list_my_ai_personas.'):
                return await self._api.call(method, "minds", persona.id, *segments, **said)
        except Conflict:
            raise NotReady(f'"{persona.name}" cannot be changed now: {BUSY}') from None

    async def _changed(self, persona: Named, what: str, *, retrain: bool = False) -> ChangedPersona:
        state = await self._progress(persona.id)
        next_step = state.next_step
        if state.ready_to_chat and retrain:
            next_step = "Its character may still show what it read there: call retrain, if it has other sources."
        elif state.ready_to_chat and state.knowledge is not None and state.knowledge.in_progress:
            next_step = "It is being read; list_knowledge says when it is done. Then talk_to_ai_persona."
        elif state.status == "failed":
            next_step = "Call retrain to have it trained with what it has."
        message = f'"{persona.name}" {what}.'
        return ChangedPersona(spark_id=persona.id, name=persona.name, message=message, next_step=next_step)


def knowledge_row(data: Mapping[str, Any]) -> KnowledgeRow | None:
    """Read one item of `GET /minds/{id}/knowledge`; the internal API's own sentences stay behind."""
    identity, state = reading.text(data, "id"), reading.mapping(data.get("processing"))
    if identity is None:
        return None
    named = (reading.text(data, name) for name in ("description", "filePath", "link"))
    # An item without a processing state was never queued: it is simply there.
    status = wire.STATUSES.get(reading.word(state, "status") or "completed", "running")
    failed = UNREADABLE.get(reading.word(state, "errorCode") or "", "It could not be read.")
    return KnowledgeRow(
        id=identity,
        title=next(filter(None, named), "untitled"),
        link=reading.text(data, "link"),
        status=status,
        error=failed if status == "failed" else None,
    )


def knowledge_rows(body: Any) -> list[KnowledgeRow] | None:
    """Read `GET /minds/{id}/knowledge`; None where there is no list."""
    data = reading.mapping(reading.mapping(body).get("data"))
    rows = (knowledge_row(reading.mapping(each)) for each in reading.items(data, "items"))
    return [row for row in rows if row is not None] if isinstance(data.get("items"), list) else None
