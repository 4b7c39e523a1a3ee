"""Minds and what they are given to know, as they are asked for and as they are shown, and how far training is."""

from typing import Annotated, Any, Literal, Self

from pydantic import AliasChoices, Field, StringConstraints, model_validator

from app.internal_api.models import wire

Mode = Literal["keywords", "clone", "link", "manual"]
MindType = Literal["creative", "expert", "user"]
SourcePolicy = Literal["auto", "knowledge_only"]
Tag = Annotated[str, wire.trimmed(1, 250), wire.PLAIN]  # `key: value` of an attribute
LANGUAGE = r"^[A-Za-z]{2}(-[A-Za-z]{2})?$"


class CreateMind(wire.RequestModel):
    """The body of `POST /minds`; each mode asks for its own field."""

    name: Annotated[str, wire.trimmed(2, 100), wire.PLAIN]
    discipline: Annotated[str, wire.trimmed(1, 200), wire.PLAIN]
    description: Annotated[str, wire.trimmed(0, 2000), wire.PROSE] = "Created via API"
    mode: Mode = "keywords"
    type: MindType = "expert"
    keywords: Annotated[tuple[wire.Keyword, ...], Field(max_length=20)] = ()
    persona_context: Annotated[str, wire.trimmed(0, 20_000), wire.PROSE] = ""
    context_link: Annotated[
        wire.Link | None, Field(validation_alias=AliasChoices("contextLink", "link", "context_link"))
    ] = None
    tags: Annotated[tuple[Tag, ...], Field(max_length=20)] = ()
    profile_image_url: wire.Link | None = None
    generate_image: bool = True
    include_web_search: bool = True
    is_real_person: bool | None = None
    source_policy: SourcePolicy = "auto"
    is_link_sharing_enabled: bool = False
    locale: Annotated[str, StringConstraints(pattern=LANGUAGE)] | None = None

    @model_validator(mode="after")
    def _what_the_mode_needs(self) -> Self:
        needs: dict[str, tuple[str, Any]] = {
            "keywords": ("keywords", self.keywords),
            "clone": ("personaContext", self.persona_context),
            "link": ("contextLink", self.context_link),
        }
        field, given = needs.get(self.mode, ("", True))
        if not given:
            raise ValueError(f"{field} is required when mode is {self.mode}")
        return self


class ChangeMind(wire.RequestModel):
    """The body of `PUT /minds/{mindId}`: what is left out stays as it is."""

    name: Annotated[str, wire.trimmed(2, 100), wire.PLAIN] | None = None
    description: Annotated[str, wire.trimmed(0, 2000), wire.PROSE] | None = None
    discipline: Annotated[str, wire.trimmed(1, 200), wire.PLAIN] | None = None
    source_policy: SourcePolicy | None = None
    tags: Annotated[tuple[Tag, ...], Field(max_length=20)] | None = None

    @model_validator(mode="after")
    def _changes_something(self) -> Self:
        if not self.model_fields_set:
            raise ValueError("No valid fields to update")
        return self


class Search(wire.Page):
    """Minds whose name, description or discipline holds the words."""

    search: Annotated[str, wire.trimmed(0, 500), wire.PROSE] = ""


Status = Literal["queued", "running", "completed", "failed"]
Stage = Literal["queued", "profile", "collect", "index", "prompt", "completed", "failed"]
Failure = Literal["COLLECTION_FAILED", "PROFILE_GEN_FAILED", "TIMEOUT", "INTERNAL"]


class TrainingError(wire.ResponseModel):
    """Why it failed.

    Attributes:
        reason: the stable word for why all sources were refused, where it was the same for all, or for what was
            wrong with the language model.
        llm_host: of the language model, where that is at fault.

    """

    code: Failure
    retryable: bool
    reason: str | None
    llm_host: str | None = Field(default=None, exclude_if=wire.absent)


class TrainingStatus(wire.ResponseModel):
    """`progress` never falls within one training and is 100 only when completed; only a failed one has an `error`."""

    status: Status
    ready_to_chat: bool
    message: str | None
    started_at: wire.Time | None
    completed_at: wire.Time | None
    progress: int
    stage: Stage
    error: TrainingError | None = Field(default=None, exclude_if=wire.absent)


class MindSummary(wire.ResponseModel):
    """What the list shows; there, the last three are additions of this API."""

    id: wire.Id
    name: str
    description: str
    type: MindType
    discipline: str | None
    source_policy: SourcePolicy
    tags: list[str]
    profile_image_url: str | None
    created_at: wire.Time
    updated_at: wire.Time
    knowledge_item_count: int | None = Field(default=None, exclude_if=wire.absent)
    training_status: Status | None = Field(default=None, exclude_if=wire.absent)
    ready_to_chat: bool | None = Field(default=None, exclude_if=wire.absent)


class MindDetail(MindSummary):
    """What the owner sees of one mind."""

    is_public: Literal[False] = False
    is_link_sharing_enabled: bool
    public_share_id: str | None
    phone_number: None = None
    cloned_voice_status: None = None
    profit_split_opt_in: Literal[False] = False
    knowledge_item_count: int
    training_status: Status
    ready_to_chat: bool
    system_prompt: str | None


class Demo(wire.ResponseModel):
    """The only key to a demo mind; it is shown once."""

    token: str
    expires_at: wire.Time


class CreatedMindSummary(MindSummary):
    demo: Demo | None = Field(default=None, exclude_if=wire.absent)


class CreatedMind(wire.ResponseModel):
    data: CreatedMindSummary
    training: TrainingStatus


class Me(wire.ResponseModel):
    id: wire.Id


SourceType = Literal["link", "document", "text", "keywords", "persona"]
Description = Annotated[str, wire.trimmed(0, 2000), wire.PROSE]
MAX_TEXT = 1_000_000


class Knowledge(wire.RequestModel):
    """What every form has; an uploaded file has these as the fields beside it."""

    description: Description = ""
    regenerate_prompt: bool = False


class RemoteFile(wire.RequestModel):
    name: Annotated[str, wire.trimmed(1, 255), wire.PLAIN]
    url: wire.Link
    type: Annotated[str, wire.trimmed(0, 255), wire.PLAIN] | None = None


class AddKnowledge(Knowledge):
    """A page to read, in `link`, not `url`; a file to fetch; text as it is; or words on what the mind is about."""

    link: wire.Link | None = None
    file: RemoteFile | None = None
    text: Annotated[str, wire.trimmed(1, MAX_TEXT), wire.PROSE] | None = None
    keywords: Annotated[tuple[wire.Keyword, ...], Field(min_length=1, max_length=15)] | None = None

    @model_validator(mode="after")
    def _in_one_form(self) -> Self:
        if sum(form is not None for form in (self.link, self.file, self.text, self.keywords)) != 1:
            raise ValueError("Give exactly one of link, file, text and keywords")
        return self


class Processing(wire.ResponseModel):
    """How far an item is; a failed one says why."""

    status: Status
    regenerate_prompt: bool
    error: str | None
    error_code: str | None
    prompt_regenerated: bool


class KnowledgeItem(wire.ResponseModel):
    id: wire.Id
    description: str
    link: str | None
    file_path: str | None
    source_type: SourceType
    is_watched: Literal[False] = False
    processing: Processing
    status_url: str
    created_at: wire.Time
    updated_at: wire.Time


class KnowledgePage(wire.ResponseModel):
    items: list[KnowledgeItem]
    total: int


class ItemStatus(wire.ResponseModel):
    id: wire.Id
    status: Status
    error: str | None
    chunk_count: int
    ready_for_retrieval: bool
    regenerate_prompt: bool
    prompt_regenerated: bool
