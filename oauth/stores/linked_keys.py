"""The sealed keys of a real internal API, one for each account."""

from datetime import datetime

from sqlalchemy import delete, insert, select

from oauth.stores.base import Store
from oauth.stores.grant_tables import linked_keys


class LinkedKeyStore(Store):
    """The key of a real internal API that each account has linked."""

    async def link_key(self, user_id: str, sealed: str, last4: str, now: datetime) -> None:
        """Keep the sealed key of the internal API in place of an earlier one."""
        async with self._database.writing() as connection:
            await connection.execute(delete(linked_keys).where(linked_keys.c.user_id == user_id))
            await connection.execute(
                insert(linked_keys).values(user_id=user_id, sealed=sealed, last4=last4, created_at=now)
            )

    async def find_linked_key(self, user_id: str) -> tuple[str, str] | None:
        """The sealed key and its last four characters."""
        query = select(linked_keys.c.sealed, linked_keys.c.last4).where(linked_keys.c.user_id == user_id)
        rows = await self._database.read(query)
        return (rows[0]["sealed"], rows[0]["last4"]) if rows else None

    async def unlink_key(self, user_id: str) -> None:
        """Forget it."""
        async with self._database.writing() as connection:
            await connection.execute(delete(linked_keys).where(linked_keys.c.user_id == user_id))
