"""Events of each account apart, newest first; written twice they stand once."""

from datetime import datetime, timedelta

from sqlalchemy.ext.asyncio import AsyncEngine

from oauth.activity import Event
from oauth.stores.activity import ActivityRows

HOUR = timedelta(hours=1)


def event(number: int, at: datetime, user_id: str = "ada") -> Event:
    return Event(str(number), user_id, at, "tool:ask_panel", "client", "ok", "A client")


async def test_an_account_sees_its_own_events_newest_first(engine: AsyncEngine, now: datetime) -> None:
    rows = ActivityRows(engine)
    await rows.add_events([event(1, now), event(2, now + HOUR), event(3, now, user_id="bob")])

    assert await rows.list_events("ada", 10) == [event(2, now + HOUR), event(1, now)]
    assert await rows.list_events("ada", 1) == [event(2, now + HOUR)]


async def test_events_that_are_written_twice_stand_once(engine: AsyncEngine, now: datetime) -> None:
    rows = ActivityRows(engine)
    for _ in range(2):
        await rows.add_events([event(1, now), event(2, now)])

    assert len(await rows.list_events("ada", 10)) == 2


async def test_old_events_are_forgotten(engine: AsyncEngine, now: datetime) -> None:
    rows = ActivityRows(engine)
    await rows.add_events([event(1, now - HOUR), event(2, now)])

    await rows.drop_events(now)

    assert await rows.list_events("ada", 10) == [event(2, now)]
