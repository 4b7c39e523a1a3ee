"""Audiences as rows, and the minds in them."""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncConnection

from app.internal_api.store.minds import minds
from app.internal_api.store.rows import PART, insert_row, link, link_table, new_id, table_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Audience:
    """One row, by default one that nobody else sees."""

    id: str = new_id()
    owner_id: str
    name: str
    is_link_sharing_enabled: bool = False
    public_share_id: str | None = None
    idempotency_key: str | None = None
    idempotency_digest: str | None = None
    created_at: int
    updated_at: int


audiences = table_of(Audience, "audiences")
audience_members = link_table("audience_members", "audience_id", "mind_id")


@dataclass(frozen=True, slots=True)
class Member:
    """What is shown of a mind in an audience."""

    id: str
    name: str
    discipline: str | None
    profile_image_url: str | None


async def insert_audience(connection: AsyncConnection, audience: Audience, mind_ids: Sequence[str]) -> None:
    """Raises IntegrityError when the owner's idempotency key is taken."""
    await insert_row(connection, audience)
    await link(connection, audience_members, audience.id, mind_ids)


async def members_of(connection: AsyncConnection, audience_ids: Sequence[str]) -> dict[str, list[Member]]:
    """By audience, in their order; an audience without any has an empty list."""
    found: dict[str, list[Member]] = {audience_id: [] for audience_id in audience_ids}
    shown = (minds.c.id, minds.c.name, minds.c.discipline, minds.c.profile_image_url)
    wanted = (
        select(audience_members.c.audience_id, *shown)
        .join(minds, minds.c.id == audience_members.c.mind_id)
        .where(audience_members.c.audience_id.in_(audience_ids))
        .order_by(audience_members.c.position, minds.c.id)
    )
    async with connection.stream(wanted) as rows:
        async for some in rows.partitions(PART):
            for audience_id, *fields in some:
                found[audience_id].append(Member(*fields))
    return found
