"""A database that was used is as new for the next test, or it is given up."""

from typing import Any

import psycopg
import pytest
from sqlalchemy import URL, text

from app.storage.engine import open_engine
from tests.databases import Databases

FILLED = (
    "INSERT INTO oauth_revisions (name, value) VALUES ('another', 7)",
    "UPDATE oauth_revisions SET value = 8 WHERE name = 'keys'",
    "INSERT INTO users (id, email, created_at) VALUES ('u', 'ada@example.com', 0)",
)
REVISIONS = (
    "SELECT string_agg(name || '=' || value, ',' ORDER BY name) || (SELECT count(*) FROM users) FROM oauth_revisions"
)


@pytest.fixture
def databases(migrated_postgres: Databases) -> Databases:
    """None of which was used before."""
    return Databases(migrated_postgres.server, migrated_postgres.template)


async def change(url: URL, *statements: str) -> str:
    """What the tables hold before `statements`."""
    engine = open_engine(url)
    async with engine.begin() as connection:
        held = str(await connection.scalar(text(REVISIONS)))
        for statement in statements:
            await connection.execute(text(statement))
    await engine.dispose()
    return held


async def test_what_a_test_wrote_is_gone_and_what_the_migrations_wrote_is_there(databases: Databases) -> None:
    first = await databases.take()
    as_new = await change(first, *FILLED)

    await databases.give_back(first)

    second = await databases.take()
    assert (second, await change(second)) == (first, as_new)
    await databases.give_back(second)


@pytest.mark.parametrize(
    "statement",
    [
        "ALTER TABLE users RENAME TO gone",
        "ALTER TABLE users ADD COLUMN more TEXT",
        "DROP TABLE api_keys",
        "CREATE INDEX another ON users (created_at)",
    ],
)
async def test_a_database_of_another_schema_is_given_up(databases: Databases, statement: str) -> None:
    first = await databases.take()
    await change(first, statement)

    await databases.give_back(first)

    second = await databases.take()
    assert second != first
    await databases.give_back(second)


async def test_whoever_is_still_connected_is_put_out(databases: Databases) -> None:
    first = await databases.take()
    address = first.set(drivername="postgresql").render_as_string(hide_password=False)
    async with await psycopg.AsyncConnection.connect(address) as left:
        await left.execute("LOCK TABLE users")

        await databases.give_back(first)

        assert await has_ended(left)
    second = await databases.take()
    assert await change(second)
    await databases.give_back(second)


async def has_ended(connection: psycopg.AsyncConnection[Any]) -> bool:
    """Whether the server no longer knows of it; it is closed then."""
    with pytest.raises(psycopg.OperationalError):
        await connection.execute("SELECT 1")
    return connection.closed
