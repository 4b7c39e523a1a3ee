"""Bring the database to the newest schema. Each room keeps its own history and its own version table."""

import asyncio
from pathlib import Path
from pkgutil import resolve_name

from sqlalchemy import URL, Connection, Select, column, inspect, select, table, text
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncEngine

from app.storage.drivers import without_timeout
from app.storage.engine import open_engine

ROOT = Path(__file__).resolve().parents[2]
ENVIRONMENT = Path(__file__).parent / "migrations"
HISTORIES = {
    "oauth_version": ROOT / "oauth" / "migrations" / "versions",
    "internal_api_version": ROOT / "app" / "internal_api" / "migrations" / "versions",
    "articles_version": ROOT / "mcp_server" / "toolsets" / "articles" / "migrations" / "versions",
    "audit_version": ROOT / "app" / "audit" / "migrations" / "versions",
}
CONNECT_SECONDS = 10.0
LOCK_ID = 72_616_001  # any constant: what every process of this project agrees on


class SchemaTooOld(SQLAlchemyError):
    """The database was made before the first release, and not brought up to date since."""


async def bring_up_to_date(url: URL) -> None:
    """`upgrade` with an engine of its own. A server that takes a connection and says nothing raises `TimeoutError`."""
    engine = open_engine(url)
    try:
        async with asyncio.timeout(CONNECT_SECONDS), engine.connect():
            pass  # the schema itself may take longer
        await upgrade(engine)
    finally:
        await engine.dispose()


async def upgrade(engine: AsyncEngine) -> None:
    """Apply what is missing, once, however many processes start at the same time."""
    async with engine.connect() as connection, without_timeout(connection):
        if engine.dialect.name == "postgresql":
            await connection.execute(text("SELECT pg_advisory_xact_lock(:id)"), {"id": LOCK_ID})
        # On SQLite every transaction is begun IMMEDIATE, which is the lock.
        if not await connection.run_sync(_is_newest):
            await connection.run_sync(resolve_name("app.storage.histories:upgrade_all"))
        await connection.commit()


def _is_newest(connection: Connection) -> bool:
    """Whether each history is at the last of its files, which begin with a revision. Nearly every start finds so."""
    for version_table, folder in HISTORIES.items():
        newest = max(path.name for path in folder.glob("*.py")).partition("_")[0]
        reached: Select[str] = select(column("version_num")).select_from(table(version_table))
        if not inspect(connection).has_table(version_table) or connection.scalars(reached).all() != [newest]:
            return False
    return True
