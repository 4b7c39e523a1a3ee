"""Audiences and studies in the words of the wire. Pure."""

from collections.abc import Mapping, Sequence
from typing import Any

from app.internal_api.models.audiences import AudienceMember, AudienceShown
from app.internal_api.models.studies import StudyAudience
from app.internal_api.models.wire import iso
from app.internal_api.store.audiences import Audience, Member
from app.internal_api.store.studies import Study


def member_shown(member: Member) -> AudienceMember:
    return AudienceMember(
        id=member.id, name=member.name, discipline=member.discipline, profile_image_url=member.profile_image_url
    )


def audience_shown(audience: Audience, members: Sequence[Member]) -> AudienceShown:
    return AudienceShown(
        id=audience.id,
        name=audience.name,
        mind_count=len(members),
        mind_ids=[member.id for member in members],
        minds=[member_shown(member) for member in members],
        is_public=False,
        is_shared_with_team=False,
        is_link_sharing_enabled=audience.is_link_sharing_enabled,
        public_share_id=audience.public_share_id,
        current_member_role="owner",
        created_at=iso(audience.created_at),
        updated_at=iso(audience.updated_at),
    )


def study_audience(audience: Audience, members: Sequence[Member]) -> StudyAudience:
    minds = [member_shown(member) for member in members]
    return StudyAudience(id=audience.id, name=audience.name, mind_count=len(minds), minds=minds)


def study_fields(
    study: Study, attached: Sequence[Audience], members: Mapping[str, Sequence[Member]], message_count: int
) -> Mapping[str, Any]:
    """What every shape of a study has."""
    return {
        "id": study.id,
        "name": study.name,
        "created_at": iso(study.created_at),
        "updated_at": iso(study.updated_at),
        "message_count": message_count,
        "is_link_sharing_enabled": study.is_link_sharing_enabled,
        "public_share_id": study.public_share_id,
        "audiences": [study_audience(audience, members[audience.id]) for audience in attached],
    }
