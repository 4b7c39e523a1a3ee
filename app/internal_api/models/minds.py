"""A mind as it is asked for and as it is shown."""

from typing import Annotated, Any, Literal, Self

from pydantic import AliasChoices, Field, StringConstraints, model_validator

from app.internal_api.models.training import FailedTrainingStatus, Status, TrainingStatus
from app.internal_api.models.wire import (
    PLAIN,
    PROSE,
    Answered,
    Asked,
    Id,
    Keyword,
    Link,
    Pagination,
    Time,
    trimmed,
)

Mode = Literal["keywords", "clone", "link", "manual"]
MindType = Literal["creative", "expert", "user"]
SourcePolicy = Literal["auto", "knowledge_only"]
Tag = Annotated[str, trimmed(1, 50), PLAIN]
LANGUAGE = r"^[A-Za-z]{2}(-[A-Za-z]{2})?$"


class CreateMind(Asked):
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
            message = f"{field} is required when mode is {self.mode}"
            raise ValueError(message)
        return self


class MindSummary(Answered):
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

    is_public: bool
    is_link_sharing_enabled: bool
    public_share_id: str | None
    phone_number: str | None
    cloned_voice_status: str | None
    profit_split_opt_in: bool
    knowledge_item_count: int
    training_status: Status | None
    ready_to_chat: bool
    system_prompt: str | None


class Demo(Answered):
    """The only key to a demo mind; it is shown once."""

    token: str
    expires_at: Time


class DemoMindSummary(MindSummary):
    demo: Demo


class MindList(Answered):
    data: list[MindSummary]
    pagination: Pagination


class MindAnswer(Answered):
    data: MindDetail


class CreatedMind(Answered):
    data: DemoMindSummary | MindSummary
    training: FailedTrainingStatus | TrainingStatus


class Me(Answered):
    id: Id
