"""Bring the database to the newest schema. Each room keeps its own history and its own version table."""

import asyncio
from pathlib import Path

import structlog
from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import URL, Connection, text
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncEngine

from app.storage.drivers import without_timeout
from app.storage.engine import open_engine

ROOT = Path(__file__).resolve().parents[2]
ENVIRONMENT = Path(__file__).parent / "migrations"
HISTORIES = {
    "oauth_version": ROOT / "oauth" / "migrations" / "versions",
    "internal_api_version": ROOT / "app" / "internal_api" / "migrations" / "versions",
    "audit_version": ROOT / "app" / "audit" / "migrations" / "versions",
}
CONNECT_SECONDS = 10.0
LOCK_ID = 72_616_001  # any constant: what every process of this project agrees on

log = structlog.get_logger(__name__)


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
        await connection.run_sync(_upgrade_all)
        await connection.commit()


def _upgrade_all(connection: Connection) -> None:
    for version_table, folder in HISTORIES.items():
        config = Config()
        config.set_main_option("script_location", str(ENVIRONMENT))
        config.set_main_option("path_separator", "newline")  # a folder's name may hold spaces
        config.set_main_option("version_locations", str(folder))
        config.attributes.update(connection=connection, version_table=version_table)
        history = ScriptDirectory.from_config(config)
        context = MigrationContext.configure(connection, opts={"version_table": version_table})
        reached = set(context.get_current_heads())  # none where the database is empty
        if reached == set(history.get_heads()):
            continue  # every start looks several times, and nearly all of them find this
        known = {script.revision for script in history.walk_revisions()}
        if reached <= known:
            command.upgrade(config, "head")
        elif max(reached) < min(known):
            raise SchemaTooOld(f"{version_table} is at {max(reached)}, before anything that this version can upgrade")
        else:
            # The version before this one was started again. A schema only grows, so it serves that version too.
            log.warning("schema_is_newer", history=version_table)
