"""What entry points ask about accounts before anything is served."""

from oauth.stores.sql import SqlStore

from app.database import open_engine
from app.migrations import upgrade
from app.settings import Settings


async def has_accounts(settings: Settings) -> bool:
    """Whether anybody can sign in; brings the database up to date on the way."""
    engine = open_engine(settings.database)
    try:
        await upgrade(engine)
        return bool(await SqlStore(engine).users())
    finally:
        await engine.dispose()
