"""Old and new processes on one schema: each works on what the other left (FI-26)."""

from pathlib import Path

import pytest
from alembic import command
from sqlalchemy import URL, Connection, text
from sqlalchemy.ext.asyncio import AsyncEngine

from app.storage.engine import open_engine
from app.storage.migrate import HISTORIES, history_config, upgrade
from tests.edge import running, settings_for

FUTURE = "9999_of_a_later_version"
GROWN = (
    "ALTER TABLE api_keys ADD COLUMN of_a_later_version TEXT",
    "ALTER TABLE oauth_grants ADD COLUMN of_a_later_version TEXT",
    "ALTER TABLE minds ADD COLUMN of_a_later_version INTEGER",
    "CREATE TABLE of_a_later_version (n INTEGER)",
)


async def grow(engine: AsyncEngine) -> None:
    """What a later version does to the schema when it starts."""
    async with engine.begin() as connection:
        for statement in GROWN:
            await connection.execute(text(statement))
        for table in HISTORIES:
            await connection.execute(text(f"UPDATE {table} SET version_num = :new"), {"new": FUTURE})


@pytest.mark.security("FI-26")
async def test_an_old_process_serves_and_starts_on_the_schema_of_a_new_one(
    engine: AsyncEngine, database: URL, tmp_path: Path
) -> None:
    settings = settings_for(tmp_path, database_url=database.render_as_string(hide_password=False))

    async with running(settings) as old:
        before = (await old.call("private", key=old.key)).status_code
        await grow(engine)
        during = (await old.call("private", key=old.key)).status_code
    async with running(settings) as started_again:
        after = (await started_again.call("private", key=started_again.key)).status_code
        health = (await started_again.client.get("/readyz")).status_code

    assert (before, during, after, health) == (200, 200, 200, 200)


@pytest.mark.security("FI-26")
async def test_every_history_leads_back_to_nothing_and_forward_again(engine: AsyncEngine) -> None:
    async with engine.begin() as connection:
        await connection.run_sync(_back)
    await upgrade(engine)

    async with engine.connect() as connection:
        assert (await connection.execute(text("SELECT count(*) FROM oauth_grants"))).scalar_one() == 0


async def test_a_database_that_is_older_is_brought_up_to_date(database: URL) -> None:
    engine = open_engine(database)
    await upgrade(engine)
    async with engine.begin() as connection:
        await connection.run_sync(_back, "-1")
    await upgrade(engine)

    async with engine.connect() as connection:
        versions = [
            (await connection.execute(text(f"SELECT version_num FROM {table}"))).scalar_one() for table in HISTORIES
        ]
    await engine.dispose()
    newest = [max(path.glob("[0-9]*.py")).stem for path in HISTORIES.values()]
    assert [version[:4] for version in versions] == [name[:4] for name in newest]


def _back(connection: Connection, to: str = "base") -> None:
    for version_table in reversed(HISTORIES):
        command.downgrade(history_config(connection, version_table), to)
