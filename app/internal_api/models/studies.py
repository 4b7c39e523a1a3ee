"""Audiences and studies, as they are asked for and as they are shown."""

from collections import Counter
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, Field, model_validator

from app.internal_api.models.outputs import StudyMessage
from app.internal_api.models.wire import PLAIN, PROSE, Id, RequestModel, ResponseModel, Time, Uuid, trimmed

MAX_AUDIENCES = 100
MAX_MEMBERS = 1000
GroupName = Annotated[str, trimmed(1, 200), PLAIN]


def once(values: tuple[str, ...]) -> tuple[str, ...]:
    """Each value where it came first."""
    return tuple(dict.fromkeys(values))


MindIds = Annotated[tuple[Uuid, ...], Field(max_length=MAX_MEMBERS), AfterValidator(once)]
SomeMindIds = Annotated[MindIds, Field(min_length=1)]


class CreateAudience(RequestModel):
    """The body of `POST /audiences`."""

    name: GroupName
    mind_ids: MindIds = ()
    is_link_sharing_enabled: bool = False


class ChangeAudience(RequestModel):
    """The body of `PUT /audiences/{audienceId}`: what is left out stays as it is."""

    name: GroupName | None = None
    is_link_sharing_enabled: bool | None = None

    @model_validator(mode="after")
    def _something(self) -> Self:
        if self.name is None and self.is_link_sharing_enabled is None:
            raise ValueError("No valid fields to update; give name or isLinkSharingEnabled")
        return self


class AddMembers(RequestModel):
    """The body of `POST /audiences/{audienceId}/members`."""

    mind_ids: SomeMindIds


class DraftAudience(RequestModel):
    """A sentence on who is wanted, and how many."""

    audience: Annotated[str, trimmed(3, 2_000), PROSE]
    count: int = Field(10, ge=1, le=50)


class DraftedAudience(ResponseModel):
    """People as the language model wrote them: `name`, `context` and `attributes`; nothing of it is checked."""

    people: list[dict[str, Any]]


class AudienceMember(ResponseModel):
    """A mind in an audience; the status of its training is an addition of this API."""

    id: Id
    name: str
    discipline: str | None
    profile_image_url: str | None
    training_status: Literal["queued", "running", "completed", "failed", "empty"]


class StudyAudience(ResponseModel):
    """An audience as a study shows it."""

    id: Id
    name: str
    mind_count: int
    minds: list[AudienceMember]


class AudienceDetail(StudyAudience):
    """An audience as its owner sees it; here every audience belongs to one account and is shared by link at most."""

    mind_ids: list[Id]
    is_public: Literal[False] = False
    is_shared_with_team: Literal[False] = False
    is_link_sharing_enabled: bool
    public_share_id: str | None
    current_member_role: Literal["owner"] = "owner"
    created_at: Time
    updated_at: Time


class AudienceConfig(RequestModel):
    """An audience to be made together with the study."""

    name: GroupName
    mind_ids: SomeMindIds


def apart(configs: tuple[AudienceConfig, ...]) -> tuple[AudienceConfig, ...]:
    """Refuse two audiences of one name, which nobody could tell apart in a result."""
    counts = Counter(config.name.casefold() for config in configs)
    twice = next((config.name for config in configs if counts[config.name.casefold()] > 1), None)
    if twice is not None:
        raise ValueError(f'two entries are named "{twice}"; give each its own name')
    return configs


class CreateStudy(RequestModel):
    """The body of `POST /studies`; audiences that are there come before those that are made."""

    name: Annotated[str, trimmed(1, 200), PLAIN]
    audience_ids: Annotated[tuple[Uuid, ...], Field(max_length=MAX_AUDIENCES), AfterValidator(once)] = ()
    audience_configs: Annotated[tuple[AudienceConfig, ...], Field(max_length=MAX_AUDIENCES), AfterValidator(apart)] = ()
    is_link_sharing_enabled: bool = False


class ReviseCodebook(RequestModel):
    """The body of a revision of codes; `themes` are ids of codes, `mind_ids` those whose answers a split moves.

    Where `words` part them, an answer keeps the theme as well for what it says in other words.
    """

    action: Literal["merge", "rename", "split"]
    themes: Annotated[tuple[Annotated[str, trimmed(1, 40), PLAIN], ...], Field(min_length=1, max_length=50)]
    label: Annotated[str, trimmed(1, 80), PLAIN] | None = None
    definition: Annotated[str, trimmed(0, 400), PROSE] | None = None
    mind_ids: MindIds = ()
    words: Annotated[tuple[Annotated[str, trimmed(1, 200), PLAIN], ...], Field(max_length=50)] = ()


class StudySummary(ResponseModel):
    """What the list shows. The mode has its name of today and that of before, since clients look for either."""

    id: Id
    name: str
    study_mode: Literal["study"] = "study"
    flow_mode: Literal["panel"] = "panel"
    created_at: Time
    updated_at: Time
    message_count: int
    is_link_sharing_enabled: bool
    public_share_id: str | None
    audiences: list[StudyAudience]


class StudyDetail(StudySummary):
    """One study with what was asked in it, oldest first."""

    messages: list[StudyMessage]
