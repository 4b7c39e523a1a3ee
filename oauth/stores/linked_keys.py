"""The sealed keys of a real internal API, one for each account."""

from datetime import datetime

from sqlalchemy import delete, insert, select
from sqlalchemy.ext.asyncio import AsyncEngine

from oauth.grant_tables import linked_keys
from oauth.stores.base import Database


class LinkedKeys:
    """The linked key store of `oauth.grant_store`, on an engine that the caller owns."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._database = Database(engine)

    async def link_key(self, user_id: str, sealed: str, last4: str, now: datetime) -> None:
        async with self._database.writing() as connection:
            await connection.execute(delete(linked_keys).where(linked_keys.c.user_id == user_id))
            await connection.execute(
                insert(linked_keys).values(user_id=user_id, sealed=sealed, last4=last4, created_at=now)
            )

    async def find_linked_key(self, user_id: str) -> tuple[str, str] | None:
        query = select(linked_keys.c.sealed, linked_keys.c.last4).where(linked_keys.c.user_id == user_id)
        rows = await self._database.read(query)
        return (rows[0]["sealed"], rows[0]["last4"]) if rows else None

    async def unlink_key(self, user_id: str) -> None:
        async with self._database.writing() as connection:
            await connection.execute(delete(linked_keys).where(linked_keys.c.user_id == user_id))
