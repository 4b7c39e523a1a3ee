"""What happened in whose name, for the person to look through."""

from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime

from sqlalchemy import delete, insert, select
from sqlalchemy.ext.asyncio import AsyncEngine

from oauth.activity import Event
from oauth.grant_tables import activity
from oauth.stores.base import Database


class ActivityRows:
    """The activity store of `oauth.activity`, on an engine that the caller owns."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._database = Database(engine)

    async def add_events(self, events: Sequence[Event]) -> None:
        async with self._database.writing() as connection:
            # Who was stopped between the commit and hearing of it adds the same events again.
            await connection.execute(delete(activity).where(activity.c.id.in_([event.id for event in events])))
            await connection.execute(insert(activity), [asdict(event) for event in events])

    async def list_events(self, user_id: str, most: int) -> Sequence[Event]:
        query = select(activity).where(activity.c.user_id == user_id)
        rows = await self._database.read(query.order_by(activity.c.at.desc(), activity.c.id).limit(most))
        return [Event(**row) for row in rows]

    async def drop_events(self, before: datetime) -> None:
        async with self._database.writing() as connection:
            await connection.execute(delete(activity).where(activity.c.at < before))
