"""Minds as rows, and the demo minds among them, which expire."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import delete, text
from sqlalchemy.ext.asyncio import AsyncConnection

from app.internal_api.store.rows import count, new_id, table_of

QUOTA_LOCK = 72_616_002  # any constant: what all who count demo minds before adding one agree on


@dataclass(frozen=True, slots=True, kw_only=True)
class Mind:
    """One row."""

    id: str = new_id()
    owner_id: str
    name: str
    description: str
    discipline: str | None
    type: str
    mode: str
    source_policy: str
    tags: Sequence[str]
    keywords: Sequence[str]
    context: str  # what the owner said of the persona; feeds the profile
    locale: str | None
    is_real_person: bool
    is_link_sharing_enabled: bool
    public_share_id: str | None
    profile_image_url: str | None
    profile: Mapping[str, Any] | None = None  # what the profile stage made: discipline, description, traits
    system_prompt: str | None = None
    search_text: str  # case-folded name, description, discipline: the databases fold differently
    idempotency_key: str | None = None
    idempotency_digest: str | None = None  # of the body that came with the key
    demo_token_hash: str | None = None
    demo_expires_at: int | None = None
    created_at: int
    updated_at: int

    @property
    def ready(self) -> bool:
        """Whether it may be talked to: training has written its prompt at least once."""
        return self.system_prompt is not None


minds = table_of(Mind, "minds")


async def count_live_demos(connection: AsyncConnection, now: int) -> int:
    """How many are alive; holds off other counters until the transaction ends, so that the quota is exact."""
    if connection.dialect.name == "postgresql":
        # SQLite needs nothing here: its writing transactions run one after another.
        await connection.execute(text("SELECT pg_advisory_xact_lock(:id)"), {"id": QUOTA_LOCK})
    return await count(connection, minds, minds.c.demo_expires_at > now)


async def delete_expired_demos(connection: AsyncConnection, now: int) -> int:
    """Returns how many went."""
    return (await connection.execute(delete(minds).where(minds.c.demo_expires_at <= now))).rowcount
