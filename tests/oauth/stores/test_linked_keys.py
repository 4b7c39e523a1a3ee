"""One sealed key for each account, the latest."""

from datetime import datetime

from sqlalchemy.ext.asyncio import AsyncEngine

from oauth.models import User
from oauth.stores.accounts import LinkedKeyStore


async def test_the_latest_key_stands_until_it_is_unlinked(engine: AsyncEngine, ada: User, now: datetime) -> None:
    keys = LinkedKeyStore(engine)
    await keys.link_key(ada.id, "sealed", "aaaa", now)
    await keys.link_key(ada.id, "sealed again", "bbbb", now)

    assert await keys.find_linked_key(ada.id) == ("sealed again", "bbbb")
    assert await keys.find_linked_key("somebody else") is None
    await keys.unlink_key(ada.id)
    assert await keys.find_linked_key(ada.id) is None
