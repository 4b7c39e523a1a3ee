"""Audiences and studies as rows, the minds in them, the audiences in a study, and the end of all that somebody owns."""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import case, delete, func, select
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from app.internal_api.models.studies import AudienceMember
from app.internal_api.store.knowledge import MEMBER_STATE
from app.internal_api.store.minds import minds
from app.internal_api.store.questions import Member, questions
from app.internal_api.store.rows import PART, OwnedRow, find_all, insert_row, link, link_table, table_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Audience(OwnedRow):
    idempotency_key: str | None = None
    idempotency_digest: str | None = None


audiences = table_of(Audience, "audiences")
audience_members = link_table("audience_members", "audience_id", "mind_id")


async def insert_audience(connection: AsyncConnection, audience: Audience, mind_ids: Sequence[str]) -> None:
    """Raises IntegrityError when the owner's idempotency key is taken."""
    await insert_row(connection, audience)
    await link(connection, audience_members, audience.id, mind_ids)


async def members_of(connection: AsyncConnection, audience_ids: Sequence[str]) -> dict[str, list[AudienceMember]]:
    """By audience, in their order; an audience without any has an empty list."""
    found: dict[str, list[AudienceMember]] = {audience_id: [] for audience_id in audience_ids}
    shown = [MEMBER_STATE if name == "training_status" else minds.c[name] for name in AudienceMember.model_fields]
    wanted = (
        select(audience_members.c.audience_id, *shown)
        .join(minds, minds.c.id == audience_members.c.mind_id)
        .where(audience_members.c.audience_id.in_(audience_ids))
        .order_by(audience_members.c.position, minds.c.id)
    )
    async with connection.stream(wanted) as rows:
        async for some in rows.partitions(PART):
            for audience_id, *fields in some:
                member = dict(zip(AudienceMember.model_fields, fields, strict=True))
                found[audience_id].append(AudienceMember.model_construct(**member))
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Study(OwnedRow):
    """One row."""


studies = table_of(Study, "studies")
study_audiences = link_table("study_audiences", "study_id", "audience_id")


@dataclass(frozen=True, slots=True, kw_only=True)
class Membership(Member):
    """One mind as a member of one audience of a study, as it is now; a mind in two audiences has two of them."""

    ready: bool
    training_status: str


async def audiences_in(connection: AsyncConnection, study_ids: Sequence[str]) -> dict[str, list[Audience]]:
    """By study, in their order; a study without any has an empty list."""
    attached = (
        select(study_audiences.c.study_id, audiences)
        .join(audiences, audiences.c.id == study_audiences.c.audience_id)
        .where(study_audiences.c.study_id.in_(study_ids))
        .order_by(study_audiences.c.position)
    )
    found: dict[str, list[Audience]] = {study_id: [] for study_id in study_ids}
    for row in (await connection.execute(attached)).mappings():
        columns = dict(row)
        found[columns.pop("study_id")].append(Audience(**columns))
    return found


async def message_counts(connection: AsyncConnection, study_ids: Sequence[str]) -> dict[str, int]:
    """By study: a message for each question, and one more for each that is completed."""
    completed = func.sum(case((questions.c.status == "completed", 1), else_=0))
    counts = select(questions.c.study_id, func.count() + completed).where(questions.c.study_id.in_(study_ids))
    rows = await connection.execute(counts.group_by(questions.c.study_id))
    return {**dict.fromkeys(study_ids, 0), **dict(rows.all())}


async def membership(
    connection: AsyncConnection, study_id: str, audience_ids: Sequence[str] | None = None
) -> list[Membership]:
    """In the order of the audiences in the study and of the members in each; `audience_ids` asks for some only."""
    members = (
        select(
            audiences.c.id.label("audience_id"),
            audiences.c.name.label("audience_name"),
            minds.c.id.label("mind_id"),
            minds.c.name.label("mind_name"),
            minds.c.discipline,
            minds.c.profile_image_url,
            minds.c.system_prompt.is_not(None).label("ready"),
            MEMBER_STATE.label("training_status"),
        )
        .select_from(study_audiences)
        .join(audiences, audiences.c.id == study_audiences.c.audience_id)
        .join(audience_members, audience_members.c.audience_id == audiences.c.id)
        .join(minds, minds.c.id == audience_members.c.mind_id)
        .where(study_audiences.c.study_id == study_id)
        .order_by(study_audiences.c.position, audience_members.c.position)
    )
    if audience_ids is not None:
        members = members.where(audiences.c.id.in_(audience_ids))
    return await find_all(connection, Membership, members)


FEW = 20
"""Rows that are deleted at once, each with all that belongs to it; others write in between."""


async def delete_owned(engine: AsyncEngine, owner_id: str) -> None:
    """Every study, audience and mind of the owner, with their questions, answers, knowledge and jobs."""
    for table in (studies, audiences, minds):
        some = select(table.c.id).where(table.c.owner_id == owner_id).limit(FEW)
        deleted = FEW
        while deleted:
            async with engine.begin() as connection:
                deleted = (await connection.execute(delete(table).where(table.c.id.in_(some)))).rowcount
