"""A group of minds as it is asked for and as it is shown."""

from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, model_validator

from app.internal_api.models.wire import PLAIN, Answered, Asked, AskedId, Id, Time, trimmed

MAX_MEMBERS = 1000
GroupName = Annotated[str, trimmed(1, 200), PLAIN]


def once(values: tuple[str, ...]) -> tuple[str, ...]:
    """Each value where it came first."""
    return tuple(dict.fromkeys(values))


def some(values: tuple[str, ...]) -> tuple[str, ...]:
    """Refuse to name nobody, in words that say what to do."""
    if not values:
        message = "must name at least one mind"
        raise ValueError(message)
    return values


MindIds = Annotated[tuple[AskedId, ...], Field(max_length=MAX_MEMBERS), AfterValidator(once)]
SomeMindIds = Annotated[MindIds, AfterValidator(some), Field(json_schema_extra={"minItems": 1})]


class CreateAudience(Asked):
    """The body of `POST /audiences`."""

    name: GroupName
    mind_ids: MindIds = ()
    is_link_sharing_enabled: bool = False


class ChangeAudience(Asked):
    """The body of `PUT /audiences/{audienceId}`: what is left out stays as it is."""

    name: GroupName | None = None
    is_link_sharing_enabled: bool | None = None

    @model_validator(mode="after")
    def _something(self) -> Self:
        if self.name is None and self.is_link_sharing_enabled is None:
            message = "No valid fields to update; give name or isLinkSharingEnabled"
            raise ValueError(message)
        return self


class AddMembers(Asked):
    """The body of `POST /audiences/{audienceId}/members`."""

    mind_ids: SomeMindIds


class AudienceMember(Answered):
    """A mind in an audience."""

    id: Id
    name: str
    discipline: str | None
    profile_image_url: str | None


class AudienceShown(Answered):
    """An audience as its owner sees it; here every audience belongs to one account and is shared by link at most."""

    id: Id
    name: str
    mind_count: int
    mind_ids: list[Id]
    minds: list[AudienceMember]
    is_public: Literal[False] = False
    is_shared_with_team: Literal[False] = False
    is_link_sharing_enabled: bool
    public_share_id: str | None
    current_member_role: Literal["owner"] = "owner"
    created_at: Time
    updated_at: Time
