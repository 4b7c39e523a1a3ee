"""Demo minds: counted against a quota, and gone when their time is over."""

from sqlalchemy import delete, func, select, text
from sqlalchemy.ext.asyncio import AsyncConnection

from app.internal_api.tables import minds

QUOTA_LOCK = 72_616_002  # any constant: what all who count demo minds before adding one agree on


async def count_live_demos(connection: AsyncConnection, now: int) -> int:
    """How many are alive; holds off other counters until the transaction ends, so that the quota is exact."""
    if connection.dialect.name == "postgresql":
        # SQLite needs nothing here: its writing transactions run one after another.
        await connection.execute(text("SELECT pg_advisory_xact_lock(:id)"), {"id": QUOTA_LOCK})
    alive = select(func.count()).select_from(minds).where(minds.c.demo_expires_at > now)
    return (await connection.execute(alive)).scalar_one()


async def delete_expired_demos(connection: AsyncConnection, now: int) -> int:
    """Returns how many went."""
    return (await connection.execute(delete(minds).where(minds.c.demo_expires_at <= now))).rowcount
