"""A mind as it is asked for and as it is shown, and how far its training is."""

from typing import Annotated, Any, Literal, Self

from pydantic import AliasChoices, Field, StringConstraints, model_validator

from app.internal_api.models.wire import (
    PLAIN,
    PROSE,
    Id,
    Keyword,
    Link,
    RequestModel,
    ResponseModel,
    Time,
    absent,
    trimmed,
)

Mode = Literal["keywords", "clone", "link", "manual"]
MindType = Literal["creative", "expert", "user"]
SourcePolicy = Literal["auto", "knowledge_only"]
Tag = Annotated[str, trimmed(1, 50), PLAIN]
LANGUAGE = r"^[A-Za-z]{2}(-[A-Za-z]{2})?$"


class CreateMind(RequestModel):
    """The body of `POST /minds`; each mode asks for its own field."""

    name: Annotated[str, trimmed(2, 100), PLAIN]
    discipline: Annotated[str, trimmed(1, 200), PLAIN]
    description: Annotated[str, trimmed(0, 2000), PROSE] = "Created via API"
    mode: Mode = "keywords"
    type: MindType = "expert"
    keywords: Annotated[tuple[Keyword, ...], Field(max_length=20)] = ()
    persona_context: Annotated[str, trimmed(0, 20_000), PROSE] = ""
    context_link: Annotated[
        Link | None,
        Field(validation_alias=AliasChoices("contextLink", "link", "context_link")),
    ] = None
    tags: Annotated[tuple[Tag, ...], Field(max_length=20)] = ()
    profile_image_url: Link | None = None
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


Status = Literal["queued", "running", "completed", "failed"]
Stage = Literal["queued", "profile", "collect", "index", "prompt", "completed", "failed"]
Failure = Literal["COLLECTION_FAILED", "PROFILE_GEN_FAILED", "TIMEOUT", "INTERNAL"]


class TrainingError(ResponseModel):
    """`reason`: the stable word for why all sources were refused, where it was the same for all."""

    code: Failure
    retryable: bool
    reason: str | None


class TrainingStatus(ResponseModel):
    """`progress` never falls within one training and is 100 only when completed; only a failed one has an `error`."""

    status: Status
    ready_to_chat: bool
    message: str | None
    started_at: Time | None
    completed_at: Time | None
    progress: int
    stage: Stage
    error: TrainingError | None = Field(default=None, exclude_if=absent)


class MindSummary(ResponseModel):
    """What the list shows."""

    id: Id
    name: str
    description: str
    type: MindType
    discipline: str | None
    source_policy: SourcePolicy
    tags: list[str]
    profile_image_url: str | None
    created_at: Time
    updated_at: Time


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


class Demo(ResponseModel):
    """The only key to a demo mind; it is shown once."""

    token: str
    expires_at: Time


class CreatedMindSummary(MindSummary):
    demo: Demo | None = Field(default=None, exclude_if=absent)


class CreatedMind(ResponseModel):
    data: CreatedMindSummary
    training: TrainingStatus


class Me(ResponseModel):
    id: Id
