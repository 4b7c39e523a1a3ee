"""Bring the database to the newest schema. Each room keeps its own history and its own version table."""

from pathlib import Path

from alembic import command
from alembic.config import Config
from sqlalchemy import Connection, text
from sqlalchemy.ext.asyncio import AsyncEngine

from app.patient_postgres import without_haste

ROOT = Path(__file__).resolve().parent.parent
HISTORIES = {
    "oauth_version": ROOT / "oauth" / "migrations",
    "internal_api_version": ROOT / "app" / "internal_api" / "migrations",
}
LOCK_ID = 72_616_001  # any constant: what every process of this project agrees on


async def upgrade(engine: AsyncEngine) -> None:
    """Apply what is missing, once, however many processes start at the same time."""
    async with engine.connect() as connection, without_haste(connection):
        if engine.dialect.name == "postgresql":
            await connection.execute(text("SELECT pg_advisory_xact_lock(:id)"), {"id": LOCK_ID})
        # On SQLite every transaction is begun IMMEDIATE, which is the lock.
        await connection.run_sync(_upgrade_all)
        await connection.commit()


def _upgrade_all(connection: Connection) -> None:
    for version_table, location in HISTORIES.items():
        config = Config()
        config.set_main_option("script_location", str(location))
        config.attributes["connection"] = connection
        config.attributes["version_table"] = version_table
        command.upgrade(config, "head")
