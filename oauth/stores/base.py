"""What the stores share: reading and writing on an engine that the caller owns, faults as `StoreUnavailable`."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from datetime import datetime, timedelta
from typing import Any, ClassVar, TypeVar

import sqlalchemy as sql
from sqlalchemy.exc import DBAPIError, IntegrityError, SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from oauth.errors import Conflict, StoreUnavailable
from oauth.stores.tables import grants, revisions

T = TypeVar("T")
GRANTS_REVISION = "grants"
ANNOUNCED = "announced"
"""Names the execution option of the engine that `on_announcement` sets, and the connection that `announce` wrote on."""
USE_NOTED_EVERY = timedelta(minutes=1)
PATIENCE = 6.0  # seconds for one transaction: a little longer than SQLite waits for its lock


class Store:
    """Base of the stores, each of which sees the engine by one need. Every method may raise `StoreUnavailable`."""

    used: ClassVar[sql.Table]

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine
        self._reader = engine.execution_options(read_only=True)

    async def read(self, query: sql.Select[Any]) -> Sequence[sql.RowMapping]:
        async with answering(), self._reader.connect() as connection:
            rows: Sequence[sql.RowMapping] = (await connection.execute(query)).mappings().all()
            return rows

    @asynccontextmanager
    async def writing(self) -> AsyncIterator[AsyncConnection]:
        """A transaction: committed at the end of the block, rolled back by any exception in it.

        Raises `StoreUnavailable`: the database gave no answer. `IntegrityError` passes, for the store to interpret.
        """
        async with answering(), self._engine.begin() as connection:
            yield connection
            announces = connection.info.pop(ANNOUNCED, False)
        if announces:
            for call in self._engine.sync_engine.get_execution_options().get(ANNOUNCED, ()):
                call()

    async def write(self, statement: sql.Executable, announced: str | None = None) -> int:
        """Execute one statement in a transaction of its own, and say how many rows it changed.

        What changed any row is `announced` under that name of a revision.
        """
        async with self.writing() as connection:
            result: sql.CursorResult[Any] = await connection.execute(statement)
            if announced is not None and result.rowcount:
                await announce(connection, announced)
            return result.rowcount

    async def write_unique(self, statement: sql.Executable, taken: str) -> int:
        """As `write`. Raises `Conflict` with the text `taken`: what must be unique is there already."""
        try:
            return await self.write(statement)
        except IntegrityError:
            raise Conflict(taken) from None

    async def revisions(self) -> Mapping[str, int]:
        """The counters by name: each changes whenever what is remembered of its kind may have ceased to hold."""
        return {row["name"]: row["value"] for row in await self.read(sql.select(revisions))}

    async def _first(self, kind: type[T], query: sql.Select[Any]) -> T | None:
        rows = await self.read(query)
        return kind(**rows[0]) if rows else None

    async def touch(self, uses: Mapping[str, datetime]) -> None:
        """Note when the rows of the store's `used` table with these ids were, at most once a minute for each."""
        table = self.used
        if not uses:
            return
        long_ago = sql.or_(table.c.last_used_at.is_(None), table.c.last_used_at <= sql.bindparam("before"))
        statement = sql.update(table).where(table.c.id == sql.bindparam("used"), long_ago)
        # In one order, so that two processes that note the same rows never wait for each other in a circle.
        rows = [{"used": used, "at": at, "before": at - USE_NOTED_EVERY} for used, at in sorted(uses.items())]
        async with self.writing() as connection:
            await connection.execute(statement.values(last_used_at=sql.bindparam("at")), rows)


@asynccontextmanager
async def answering() -> AsyncIterator[None]:
    """Turn every failure of the database into `StoreUnavailable`, but for broken constraints; so is its silence.

    A client gives up after 10 seconds, and by then must know whether to try again.
    """
    try:
        async with asyncio.timeout(PATIENCE):
            yield
    except TimeoutError:
        raise StoreUnavailable(f"no answer within {PATIENCE:g} s") from None
    except IntegrityError:
        raise
    except DBAPIError as fault:
        # Not the fault itself: its text quotes the parameters, which hold digests and password hashes.
        raise StoreUnavailable(f"{type(fault.orig).__name__}: {fault.orig}") from None
    except (SQLAlchemyError, OSError) as fault:
        raise StoreUnavailable(f"{type(fault).__name__}: {fault}") from None


async def announce(connection: AsyncConnection, name: str) -> None:
    """Tell every process, in the same transaction, that what it remembers may have ceased to be valid."""
    await connection.execute(sql.update(revisions).where(revisions.c.name == name).values(value=revisions.c.value + 1))
    connection.info[ANNOUNCED] = True


def on_announcement(engine: AsyncEngine, call: Callable[[], object]) -> None:
    """Call `call` after each transaction of `engine` in which `announce` was."""
    calls = engine.sync_engine.get_execution_options().get(ANNOUNCED, ())
    engine.sync_engine.update_execution_options(**{ANNOUNCED: (*calls, call)})


async def end_grants(
    connection: AsyncConnection, reason: str, now: datetime, *which: sql.ColumnElement[bool]
) -> Sequence[str]:
    """End those of these grants that nobody has ended before, in every process, and return their ids."""
    ending = (
        sql.update(grants).where(*which, grants.c.revoked_at.is_(None)).values(revoked_at=now, revoked_reason=reason)
    )
    ended: Sequence[str] = (await connection.execute(ending.returning(grants.c.id))).scalars().all()
    if ended:
        await announce(connection, GRANTS_REVISION)
    return ended


def lasting(table: sql.Table, now: datetime) -> tuple[sql.ColumnElement[bool], ...]:
    """The rows that are neither revoked nor expired; without a time of expiry they last."""
    return table.c.revoked_at.is_(None), sql.or_(table.c.expires_at.is_(None), table.c.expires_at > now)


def part(kind: type[T], table: sql.Table, row: sql.RowMapping) -> T:
    return kind(**{column.name: row[column] for column in table.c})
