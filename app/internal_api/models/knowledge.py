"""What a mind is given to know, as it is asked for and as it is shown."""

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import Field

from app.internal_api.models.minds import Status
from app.internal_api.models.wire import PLAIN, PROSE, Id, Keyword, Link, RequestModel, ResponseModel, Time, trimmed

SourceType = Literal["link", "document", "text", "keywords", "persona"]
Description = Annotated[str, trimmed(0, 2000), PROSE]
MAX_TEXT = 1_000_000


class Knowledge(RequestModel):
    """What every form has; an uploaded file has these as the fields beside it."""

    description: Description = ""
    regenerate_prompt: bool = False


class LinkKnowledge(Knowledge):
    """A page to read; the field is `link`, not `url`."""

    link: Link


class RemoteFile(RequestModel):
    name: Annotated[str, trimmed(1, 255), PLAIN]
    url: Link
    type: Annotated[str, trimmed(0, 255), PLAIN] | None = None


class RemoteFileKnowledge(Knowledge):
    """A file to fetch."""

    file: RemoteFile


class TextKnowledge(Knowledge):
    """Text as it is."""

    text: Annotated[str, trimmed(1, MAX_TEXT), PROSE]


class KeywordsKnowledge(Knowledge):
    """Words that say what the mind is about."""

    keywords: Annotated[tuple[Keyword, ...], Field(min_length=1, max_length=15)]
    regenerate_prompt: bool = True


AddKnowledge = LinkKnowledge | RemoteFileKnowledge | TextKnowledge | KeywordsKnowledge
BY_FIELD: Mapping[str, type[AddKnowledge]] = {
    "link": LinkKnowledge,
    "file": RemoteFileKnowledge,
    "text": TextKnowledge,
    "keywords": KeywordsKnowledge,
}
"""The form of knowledge that a request is of, by the field that only this form has."""


class Processing(ResponseModel):
    """How far an item is; a failed one says why."""

    status: Status
    regenerate_prompt: bool
    error: str | None
    error_code: str | None
    prompt_regenerated: bool


class KnowledgeItem(ResponseModel):
    id: Id
    description: str
    link: str | None
    file_path: str | None
    source_type: SourceType
    is_watched: Literal[False] = False
    processing: Processing
    status_url: str
    created_at: Time
    updated_at: Time


class KnowledgePage(ResponseModel):
    items: list[KnowledgeItem]
    total: int


class ItemStatus(ResponseModel):
    id: Id
    status: Status
    error: str | None
    chunk_count: int
    ready_for_retrieval: bool
    regenerate_prompt: bool
    prompt_regenerated: bool
