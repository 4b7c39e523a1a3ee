"""What an access token stands on, in one read: its grant, and the account behind it."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Select, bindparam, or_, select, update
from sqlalchemy.ext.asyncio import AsyncEngine

from oauth.grant_store import OwnedGrant
from oauth.grant_tables import grants
from oauth.grants import Grant
from oauth.models import User
from oauth.stores.base import Database
from oauth.tables import users

USE_NOTED_EVERY = timedelta(minutes=1)
GRANTS_REVISION = "grants"


class SqlGrantRing:
    """The grant ring of `oauth.grant_store`, on an engine that the caller owns."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._database = Database(engine)

    async def find_owned_grant(self, grant_id: str) -> OwnedGrant | None:
        rows = await self._database.read(_owned().where(grants.c.id == grant_id))
        if not rows:
            return None
        grant = {column.name: rows[0][column.name] for column in grants.c}
        user = {column.name: rows[0][f"owner_{column.name}"] for column in users.c}
        scopes = frozenset(grant["scopes"].split(" ")) - {""}
        return OwnedGrant(Grant(**grant | {"scopes": scopes}), User(**user) if user["id"] is not None else None)

    async def touch_grants(self, uses: Mapping[str, datetime]) -> None:
        if not uses:
            return
        long_ago = or_(grants.c.last_used_at.is_(None), grants.c.last_used_at <= bindparam("before"))
        statement = (
            update(grants)
            .where(grants.c.id == bindparam("grant_id"), long_ago)
            .values(last_used_at=bindparam("used_at"))
        )
        # In one order, so that two processes that note the same grants never wait for each other in a circle.
        rows = [
            {"grant_id": grant_id, "used_at": at, "before": at - USE_NOTED_EVERY}
            for grant_id, at in sorted(uses.items())
        ]
        async with self._database.writing() as connection:
            await connection.execute(statement, rows)

    async def grants_revision(self) -> int:
        return await self._database.revision(GRANTS_REVISION)


def _owned() -> Select[Any]:
    owner = [column.label(f"owner_{column.name}") for column in users.c]
    return select(grants, *owner).select_from(grants.outerjoin(users, users.c.id == grants.c.user_id))
