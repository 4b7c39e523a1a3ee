"""What people allowed, so that they are not asked twice: one row for each person, client and redirect host."""

from dataclasses import asdict
from datetime import datetime
from typing import Any

from sqlalchemy import RowMapping, delete, select
from sqlalchemy.dialects.postgresql import insert as postgresql_insert
from sqlalchemy.dialects.sqlite import insert as sqlite_insert
from sqlalchemy.ext.asyncio import AsyncEngine

from oauth.grants import Consent
from oauth.primitives import scopes
from oauth.stores.base import Store
from oauth.stores.tables import consents


class ConsentStore(Store):
    """What is remembered of consents."""

    def __init__(self, engine: AsyncEngine) -> None:
        super().__init__(engine)
        # Both know the same ON CONFLICT, in one class for each dialect that share no base with it.
        self._insert: Any = sqlite_insert if engine.dialect.name == "sqlite" else postgresql_insert

    async def find_consent(self, user_id: str, client_id: str, redirect_host: str, now: datetime) -> Consent | None:
        """What is remembered and still holds."""
        query = select(consents).where(
            consents.c.user_id == user_id,
            consents.c.client_id == client_id,
            consents.c.redirect_host == redirect_host,
            consents.c.expires_at > now,
        )
        rows = await self._database.read(query)
        return _consent(rows[0]) if rows else None

    async def keep_consent(self, consent: Consent) -> None:
        """Remember it in place of an earlier one."""
        row = asdict(consent) | {"scopes": scopes.written(consent.scopes)}
        # One statement, so that two tabs that are answered at once cannot both find nothing and both insert.
        statement = self._insert(consents).values(**row)
        renewed = {name: statement.excluded[name] for name in ("scopes", "granted_at", "expires_at")}
        async with self._database.writing() as connection:
            await connection.execute(
                statement.on_conflict_do_update(index_elements=consents.primary_key.columns, set_=renewed)
            )

    async def forget_consents(self, user_id: str, client_id: str) -> None:
        """Ask this person again about this client."""
        async with self._database.writing() as connection:
            await connection.execute(
                delete(consents).where(consents.c.user_id == user_id, consents.c.client_id == client_id)
            )


def _consent(row: RowMapping) -> Consent:
    return Consent(**{**row, "scopes": frozenset(row["scopes"].split(" "))})
