"""A study of audiences as it is asked for and as it is shown."""

from collections import Counter
from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from app.internal_api.models.audiences import AudienceMember, GroupName, SomeMindIds, once
from app.internal_api.models.outputs import StudyMessage
from app.internal_api.models.wire import PLAIN, Answered, Asked, AskedId, Id, Time, trimmed

MAX_AUDIENCES = 100


class AudienceConfig(Asked):
    """An audience to be made together with the study."""

    name: GroupName
    mind_ids: SomeMindIds


def apart(configs: tuple[AudienceConfig, ...]) -> tuple[AudienceConfig, ...]:
    """Refuse two audiences of one name, which nobody could tell apart in a result."""
    counts = Counter(config.name.casefold() for config in configs)
    twice = next((config.name for config in configs if counts[config.name.casefold()] > 1), None)
    if twice is not None:
        message = f'two entries are named "{twice}"; give each its own name'
        raise ValueError(message)
    return configs


class CreateStudy(Asked):
    """The body of `POST /studies`; audiences that are there come before those that are made."""

    name: Annotated[str, trimmed(1, 200), PLAIN]
    audience_ids: Annotated[tuple[AskedId, ...], Field(max_length=MAX_AUDIENCES), AfterValidator(once)] = ()
    audience_configs: Annotated[tuple[AudienceConfig, ...], Field(max_length=MAX_AUDIENCES), AfterValidator(apart)] = ()
    is_link_sharing_enabled: bool = False


class StudyAudience(Answered):
    """An audience as a study shows it."""

    id: Id
    name: str
    mind_count: int
    minds: list[AudienceMember]


class StudySummary(Answered):
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
