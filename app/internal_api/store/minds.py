"""Minds as rows."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from sqlalchemy import ColumnElement, delete, func, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from app.internal_api.tables import minds


@dataclass(frozen=True, slots=True)
class Mind:
    """One row; times are epoch milliseconds."""

    id: str
    owner_id: str
    name: str
    description: str
    discipline: str | None
    type: str
    mode: str
    source_policy: str
    tags: Sequence[str]
    keywords: Sequence[str]
    context: str
    locale: str | None
    is_real_person: bool
    is_link_sharing_enabled: bool
    public_share_id: str | None
    profile_image_url: str | None
    profile: Mapping[str, Any] | None
    system_prompt: str | None
    search_text: str
    idempotency_key: str | None
    demo_token_hash: str | None
    demo_expires_at: int | None
    created_at: int
    updated_at: int
    idempotency_digest: str | None = None

    @property
    def ready(self) -> bool:
        """Whether it may be talked to: training has written its prompt at least once."""
        return self.system_prompt is not None


def search_text(name: str, description: str, discipline: str | None) -> str:
    """What a search looks in; folded here, since the databases fold differently."""
    return "\n".join((name, description, discipline or "")).casefold()


async def insert_mind(connection: AsyncConnection, mind: Mind) -> None:
    """Raises IntegrityError when the owner's idempotency key is taken."""
    await connection.execute(insert(minds).values(asdict(mind)))


async def find_mind(connection: AsyncConnection, mind_id: str) -> Mind | None:
    return await _one(connection, minds.c.id == mind_id)


async def find_mind_by_key(connection: AsyncConnection, owner_id: str, key: str) -> Mind | None:
    return await _one(connection, minds.c.owner_id == owner_id, minds.c.idempotency_key == key)


async def forget_key(connection: AsyncConnection, owner_id: str, key: str, *, made_before: int) -> None:
    """Free an idempotency key whose day is over."""
    same_key = (minds.c.owner_id == owner_id) & (minds.c.idempotency_key == key)
    await connection.execute(
        update(minds).where(same_key, minds.c.created_at < made_before).values(idempotency_key=None)
    )


async def list_minds(
    connection: AsyncConnection, owner_id: str, *, search: str, limit: int, offset: int
) -> tuple[list[Mind], int]:
    """A page of the owner's lasting minds, newest first, and how many there are in all."""
    matching = [minds.c.owner_id == owner_id, minds.c.demo_token_hash.is_(None)]
    if search:
        matching.append(minds.c.search_text.contains(search.casefold(), autoescape=True))
    total = await connection.execute(select(func.count()).select_from(minds).where(*matching))
    page = select(minds).where(*matching).order_by(minds.c.created_at.desc(), minds.c.id)
    rows = await connection.execute(page.limit(limit).offset(offset))
    return [Mind(**row) for row in rows.mappings()], total.scalar_one()


async def delete_mind(connection: AsyncConnection, mind_id: str) -> None:
    """Its jobs, its knowledge and their search entries go with it."""
    await connection.execute(delete(minds).where(minds.c.id == mind_id))


async def set_profile(connection: AsyncConnection, mind_id: str, profile: Mapping[str, Any]) -> None:
    await connection.execute(update(minds).where(minds.c.id == mind_id).values(profile=dict(profile)))


async def set_prompt(connection: AsyncConnection, mind_id: str, prompt: str, now: int) -> None:
    """From here on the mind is ready."""
    await connection.execute(update(minds).where(minds.c.id == mind_id).values(system_prompt=prompt, updated_at=now))


async def _one(connection: AsyncConnection, *matching: ColumnElement[bool]) -> Mind | None:
    row = (await connection.execute(select(minds).where(*matching))).mappings().one_or_none()
    return None if row is None else Mind(**row)
