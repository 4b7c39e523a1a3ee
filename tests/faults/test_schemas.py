"""Old and new processes on one schema: each works on what the other left (FI-26)."""

from pathlib import Path

import pytest
from sqlalchemy import URL, inspect, text
from sqlalchemy.ext.asyncio import AsyncEngine

from app.storage.engine import open_engine
from app.storage.migrate import HISTORIES, SchemaTooOld, upgrade
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


async def test_a_database_that_is_older_is_brought_up_to_date(database: URL) -> None:
    engine = open_engine(database)
    await upgrade(engine)
    async with engine.begin() as connection:
        await connection.execute(text("UPDATE audit_version SET version_num = '0002'"))
        await connection.execute(text("CREATE INDEX ix_audit_rows_subject_time ON audit_rows (subject, time)"))
    await upgrade(engine)

    async with engine.connect() as connection:
        indexes = await connection.run_sync(lambda opened: inspect(opened).get_indexes("audit_rows"))
        version = (await connection.execute(text("SELECT version_num FROM audit_version"))).scalar_one()
    await engine.dispose()
    assert (version, "ix_audit_rows_subject_time" in {index["name"] for index in indexes}) == ("0003", False)


async def test_a_database_from_before_the_first_release_is_refused_and_left_as_it_is(engine: AsyncEngine) -> None:
    async with engine.begin() as connection:
        await connection.execute(text("UPDATE oauth_version SET version_num = '0003'"))

    with pytest.raises(SchemaTooOld, match="oauth_version is at 0003"):
        await upgrade(engine)
