"""Databases of PostgreSQL for one test after the other: used again, because a copy of a whole database is dear.

A copy is some 600 files that are written and removed again. Emptying the tables takes a twentieth of that.
"""

from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

import psycopg
from sqlalchemy import URL, NullPool, text
from sqlalchemy.ext.asyncio import create_async_engine

USES = 50
"""Then it is made anew: what was deleted stays in its files, since nothing clears them up."""

CATALOGS = ("pg_class", "pg_attribute", "pg_constraint", "pg_trigger", "pg_proc", "pg_index")
# Whatever changes the schema leaves a row of a later transaction, or one row less.
SHAPE = "SELECT " + ", ".join(
    f"(SELECT count(*) FROM {catalog}), (SELECT max(xmin::text::bigint) FROM {catalog})" for catalog in CATALOGS
)
TABLES = "SELECT tablename FROM pg_tables WHERE schemaname = 'public'"
OTHERS_END = (
    "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity"
    " WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'"
)
SEQUENCES_AS_NEW = "SELECT setval(format('%I.%I', schemaname, sequencename), start_value, false) FROM pg_sequences"


@dataclass
class Lent:
    """What is known of one database: its shape, what makes it new, and how often it was used."""

    shape: tuple[Any, ...]
    renewal: str
    uses: int = 0


@dataclass
class Databases:
    """Copies of `template`, each as new whenever it is taken."""

    server: URL
    template: str
    _lent: dict[str, Lent] = field(default_factory=dict)
    _free: list[str] = field(default_factory=list)

    async def take(self) -> URL:
        """The address of one that nobody else uses."""
        name = self._free.pop() if self._free else await self._made()
        self._lent[name].uses += 1
        return self.server.set(database=name)

    async def give_back(self, url: URL) -> None:
        """Make it new for the next test; one whose schema was changed, or that was used a lot, is given up."""
        name = str(url.database)
        if self._lent[name].uses < USES and await self._renewed(name):
            self._free.append(name)
        else:
            await sent(self.server, f"DROP DATABASE {name} WITH (FORCE)")

    async def _made(self) -> str:
        name = f"test_{uuid4().hex}"
        # A copy of files costs a third of a copy through the log, which would make it safe for others meanwhile.
        await sent(self.server, f"CREATE DATABASE {name} TEMPLATE {self.template} STRATEGY FILE_COPY")
        async with await self._connected(name) as connection:
            renewal = await _renewal(connection)
            self._lent[name] = Lent(await _shape(connection), renewal)
        return name

    async def _renewed(self, name: str) -> bool:
        async with await self._connected(name) as connection:
            await connection.execute(OTHERS_END)
            if await _shape(connection) != self._lent[name].shape:
                return False
            await _run(connection, self._lent[name].renewal)
        return True

    async def _connected(self, name: str) -> psycopg.AsyncConnection[Any]:
        address = self.server.set(drivername="postgresql", database=name)
        return await psycopg.AsyncConnection.connect(address.render_as_string(hide_password=False), autocommit=True)


async def _renewal(connection: psycopg.AsyncConnection[Any]) -> str:
    """What empties every table, but for the rows that the migrations put there; they are kept aside."""
    tables = [f'"{name}"' for (name,) in await _run(connection, TABLES)]
    filled = [table for table in tables if await _run(connection, f"SELECT 1 FROM {table} LIMIT 1")]
    await connection.execute("CREATE SCHEMA kept")
    for table in filled:
        await _run(connection, f"CREATE TABLE kept.{table} AS TABLE public.{table}")
    return "; ".join(
        (
            "SET session_replication_role = replica",  # neither triggers nor references: everything goes
            *(f"DELETE FROM {table}" for table in tables),
            *(f"INSERT INTO {table} TABLE kept.{table}" for table in filled),
            SEQUENCES_AS_NEW,
        )
    )


async def _shape(connection: psycopg.AsyncConnection[Any]) -> tuple[Any, ...]:
    return tuple((await _run(connection, SHAPE))[0])


async def _run(connection: psycopg.AsyncConnection[Any], statement: str) -> list[Any]:
    cursor = await connection.execute(statement.encode())
    return await cursor.fetchall() if cursor.description else []


async def sent(server: URL, *statements: str) -> None:
    """Each on its own, outside of any transaction, as making and dropping databases must be."""
    control = create_async_engine(server, isolation_level="AUTOCOMMIT", poolclass=NullPool)
    async with control.connect() as connection:
        for statement in statements:
            await connection.execute(text(statement))
    await control.dispose()
