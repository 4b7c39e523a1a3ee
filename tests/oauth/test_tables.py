"""The tables agree with the migrations, and times survive them."""

from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import Connection
from sqlalchemy.dialects.sqlite import dialect
from sqlalchemy.ext.asyncio import AsyncEngine

import oauth
from oauth.stores.tables import Moment, metadata

SQLITE = dialect()


STORAGE = Path(oauth.__file__).with_name("STORAGE.md").read_text("utf-8")


def differences(connection: Connection) -> list[object]:
    ours = set(metadata.tables)
    context = MigrationContext.configure(
        connection, opts={"include_object": lambda thing, name, kind, *_: kind != "table" or name in ours}
    )
    return list(compare_metadata(context, metadata))


async def test_the_migrations_make_exactly_these_tables(engine: AsyncEngine) -> None:
    async with engine.connect() as connection:
        assert await connection.run_sync(differences) == []


def test_every_column_is_described() -> None:
    sections = {name: STORAGE.partition(f"# `{name}`")[2].partition("\n#")[0] for name in metadata.tables}
    untold = [
        f"{table.name}.{column.name}"
        for table in metadata.sorted_tables
        for column in table.columns
        if f"`{column.name}`" not in sections[table.name] and column.name != "id"
    ]

    assert untold == []


def test_a_moment_is_the_same_in_every_time_zone() -> None:
    here = datetime(2026, 11, 20, 9, tzinfo=timezone(timedelta(hours=5, minutes=30)))

    assert Moment().process_bind_param(here, SQLITE) == Moment().process_bind_param(here.astimezone(UTC), SQLITE)
