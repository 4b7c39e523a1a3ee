"""Audiences as rows, and the minds in them."""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import BigInteger, Column, String, Table, delete, insert, select
from sqlalchemy.ext.asyncio import AsyncConnection

from app.internal_api.store.minds import minds
from app.internal_api.store.rows import PART, find_page, insert_row, metadata, new_id, parts, table_of


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
audience_members = Table(
    "audience_members",
    metadata,
    Column("audience_id", String),
    Column("mind_id", String),
    Column("position", BigInteger),
)


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
    await add_members(connection, audience.id, mind_ids, after=0)


async def list_audiences(
    connection: AsyncConnection, owner_id: str, *, limit: int, offset: int
) -> tuple[list[Audience], int]:
    """A page of the owner's audiences, newest first, and how many there are in all."""
    owned = select(audiences).where(audiences.c.owner_id == owner_id)
    newest_first = owned.order_by(audiences.c.created_at.desc(), audiences.c.id)
    return await find_page(connection, Audience, newest_first, limit=limit, offset=offset)


async def owned_audiences(connection: AsyncConnection, owner_id: str, ids: Sequence[str]) -> dict[str, Audience]:
    """Those of `ids` that are the owner's, by id; held fast until the transaction ends."""
    owned: dict[str, Audience] = {}
    for some in parts(ids):
        wanted = select(audiences).where(audiences.c.owner_id == owner_id, audiences.c.id.in_(some))
        rows = await connection.execute(wanted.with_for_update(read=True, key_share=True))
        owned |= {row["id"]: Audience(**row) for row in rows.mappings()}
    return owned


async def owned_minds(connection: AsyncConnection, owner_id: str, ids: Sequence[str]) -> set[str]:
    """Those of `ids` that are the owner's and last; none of them can be deleted before the transaction ends."""
    owned: set[str] = set()
    for some in parts(ids):
        lasting = select(minds.c.id).where(minds.c.owner_id == owner_id, minds.c.demo_token_hash.is_(None))
        wanted = lasting.where(minds.c.id.in_(some)).with_for_update(read=True, key_share=True)
        owned |= set((await connection.execute(wanted)).scalars())
    return owned


async def add_members(connection: AsyncConnection, audience_id: str, mind_ids: Sequence[str], *, after: int) -> None:
    """In the order given, at the places from `after` on; none of them is a member yet."""
    rows = [
        {"audience_id": audience_id, "mind_id": mind_id, "position": position}
        for position, mind_id in enumerate(mind_ids, after)
    ]
    for some in parts(rows):
        await connection.execute(insert(audience_members), some)


async def remove_member(connection: AsyncConnection, audience_id: str, mind_id: str) -> bool:
    """Returns whether it was one."""
    gone = delete(audience_members).where(
        audience_members.c.audience_id == audience_id, audience_members.c.mind_id == mind_id
    )
    return (await connection.execute(gone)).rowcount > 0


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


async def member_places(connection: AsyncConnection, audience_id: str) -> dict[str, int]:
    """The place of each member."""
    places = select(audience_members.c.mind_id, audience_members.c.position).where(
        audience_members.c.audience_id == audience_id
    )
    return dict((await connection.execute(places)).all())
