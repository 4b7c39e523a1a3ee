"""What a mind is given to know, as it is asked for and as it is shown."""

from typing import Annotated, Literal

from pydantic import Field, TypeAdapter

from app.internal_api.models.training import Status
from app.internal_api.models.wire import PLAIN, PROSE, Answered, Asked, Id, Keyword, Link, Time, trimmed

SourceType = Literal["link", "document", "text", "keywords", "persona"]
Description = Annotated[str, trimmed(0, 2000), PROSE]
MAX_TEXT = 1_000_000


class LinkKnowledge(Asked):
    """A page to read; the field is `link`, not `url`."""

    link: Link
    description: Description = ""
    regenerate_prompt: bool = False


class RemoteFile(Asked):
    name: Annotated[str, trimmed(1, 255), PLAIN]
    url: Link
    type: Annotated[str, trimmed(0, 255), PLAIN] | None = None


class RemoteFileKnowledge(Asked):
    """A file to fetch."""

    file: RemoteFile
    description: Description = ""
    regenerate_prompt: bool = False


class TextKnowledge(Asked):
    """Text as it is."""

    text: Annotated[str, trimmed(1, MAX_TEXT), PROSE]
    description: Description = ""
    regenerate_prompt: bool = False


class KeywordsKnowledge(Asked):
    """Words that say what the mind is about."""

    keywords: Annotated[tuple[Keyword, ...], Field(min_length=1, max_length=15)]
    description: Description = ""
    regenerate_prompt: bool = True


AddKnowledge = LinkKnowledge | RemoteFileKnowledge | TextKnowledge | KeywordsKnowledge
BY_FIELD: dict[str, TypeAdapter[AddKnowledge]] = {
    "link": TypeAdapter(LinkKnowledge),
    "file": TypeAdapter(RemoteFileKnowledge),
    "text": TypeAdapter(TextKnowledge),
    "keywords": TypeAdapter(KeywordsKnowledge),
}


class UploadFields(Asked):
    """The fields that travel beside an uploaded file."""

    description: Description = ""
    regenerate_prompt: bool = False


class Processing(Answered):
    """How far an item is; a failed one says why."""

    status: Status
    regenerate_prompt: bool
    error: str | None
    error_code: str | None
    prompt_regenerated: bool


class KnowledgeItem(Answered):
    id: Id
    description: str
    link: str | None
    file_path: str | None
    source_type: SourceType
    is_watched: bool
    processing: Processing
    status_url: str
    created_at: Time
    updated_at: Time


class KnowledgePage(Answered):
    items: list[KnowledgeItem]
    total: int


class KnowledgeList(Answered):
    success: Literal[True] = True
    data: KnowledgePage


class AddedKnowledge(Answered):
    success: Literal[True] = True
    data: KnowledgeItem


class ItemStatus(Answered):
    id: Id
    status: Status
    error: str | None
    chunk_count: int
    ready_for_retrieval: bool
    regenerate_prompt: bool
    prompt_regenerated: bool


class ItemStatusAnswer(Answered):
    success: Literal[True] = True
    data: ItemStatus
