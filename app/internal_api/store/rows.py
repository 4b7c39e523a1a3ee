"""Rows as dataclasses, and their tables: what every file of statements reads and writes with.

A dataclass is the one declaration of a row. Times are epoch milliseconds in UTC, ids are 36-character UUIDs. Lengths,
keys and indexes are the migrations' alone: no statement needs them.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, fields
from types import UnionType
from typing import Any, TypeVar, get_args
from uuid import uuid4

import sqlalchemy as sql
from sqlalchemy.ext.asyncio import AsyncConnection

Row = TypeVar("Row")
Value = TypeVar("Value")
PART = 500
"""Rows read or written at once, so that a large audience holds up nobody else; databases limit it too."""
KINDS: dict[Any, Any] = {str: sql.String, int: sql.BigInteger, bool: sql.Boolean, float: sql.Float}
UNREACHABLE = (sql.exc.OperationalError, sql.exc.InterfaceError, sql.exc.TimeoutError)
"""What a database raises that is busy or away, and may come back."""
metadata = sql.MetaData()
TABLES: dict[type[Any], sql.Table] = {}  # the table of each kind of row, filled by `table_of`


def new_id() -> Any:
    """The field of an id, by default a new one."""
    return field(default_factory=lambda: str(uuid4()))


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnedRow:
    """What a mind, an audience and a study have, by default one that nobody else sees."""

    id: str = new_id()
    owner_id: str
    name: str
    is_link_sharing_enabled: bool = False
    public_share_id: str | None = None
    created_at: int
    updated_at: int


@dataclass(frozen=True, slots=True, kw_only=True)
class JobRow:
    """What every kind of job has, by default one that waits. `attempt` is how often it was taken up."""

    seq: int = 0  # the order in which jobs are made; given by the database
    id: str = new_id()
    status: str = "queued"  # queued | running | completed | failed
    error_code: str | None = None
    attempt: int = 0
    lease_owner: str | None = None  # who works on it
    lease_until: int | None = None
    created_at: int
    completed_at: int | None = None


def table_of(row_type: type[Any], name: str, *more: sql.Column[Any], without: str = "") -> sql.Table:
    """The table with a column for each field; `more` are columns that rows are read without."""
    kinds = ((each.name, each.type) for each in fields(row_type) if each.name != without)
    columns: list[sql.Column[Any]] = [
        sql.Column(column, KINDS.get(get_args(kind)[0] if isinstance(kind, UnionType) else kind, sql.JSON))
        for column, kind in kinds
    ]
    TABLES[row_type] = sql.Table(name, metadata, *columns, *more)
    return TABLES[row_type]


def link_table(name: str, whole: str, part: str) -> sql.Table:
    """The table of which parts a whole has, and in which order."""
    ids = (sql.Column(each, sql.String) for each in (whole, part))
    return sql.Table(name, metadata, *ids, sql.Column("position", sql.BigInteger))


async def link(
    connection: AsyncConnection, table: sql.Table, whole: str, linked: Sequence[str], *, after: int = 0
) -> None:
    """In the order given, at the places from `after` on; none of them is linked yet."""
    names = table.c.keys()
    rows = [dict(zip(names, (whole, part, place), strict=True)) for place, part in enumerate(linked, after)]
    for some in parts(rows):
        await connection.execute(sql.insert(table), some)


async def find_row(connection: AsyncConnection, row_type: type[Row], row_id: str, *, lock: bool = False) -> Row | None:
    """With `lock`, nobody else changes it before the transaction ends (SQLite's writers take turns anyway)."""
    wanted = sql.select(TABLES[row_type]).where(TABLES[row_type].c.id == row_id)
    return await find_one(connection, row_type, wanted.with_for_update() if lock else wanted)


async def find_where(connection: AsyncConnection, row_type: type[Row], *where: sql.ColumnElement[bool]) -> Row | None:
    return await find_one(connection, row_type, sql.select(TABLES[row_type]).where(*where))


async def owned_ids(
    connection: AsyncConnection, table: sql.Table, owner_id: str, ids: Sequence[str], *where: sql.ColumnElement[bool]
) -> set[str]:
    """Those of `ids` that are the owner's; none of them can be deleted before the transaction ends."""
    owned: set[str] = set()
    for some in parts(ids):
        wanted = sql.select(table.c.id).where(table.c.owner_id == owner_id, table.c.id.in_(some), *where)
        owned |= set((await connection.execute(wanted.with_for_update(read=True, key_share=True))).scalars())
    return owned


async def insert_row(connection: AsyncConnection, row: Any) -> None:
    """Raises IntegrityError where what must be unique is taken: an idempotency key, a mind's unfinished training."""
    await connection.execute(sql.insert(TABLES[type(row)]).values(values(row)))


async def update_row(connection: AsyncConnection, row_type: type[Any], row_id: str, **changed: Any) -> None:
    await connection.execute(sql.update(TABLES[row_type]).where(TABLES[row_type].c.id == row_id).values(**changed))


async def delete_row(connection: AsyncConnection, row_type: type[Any], row_id: str) -> None:
    """What belongs to it goes with it, by the foreign keys."""
    await connection.execute(sql.delete(TABLES[row_type]).where(TABLES[row_type].c.id == row_id))


async def find_one(connection: AsyncConnection, row_type: type[Row], wanted: sql.Select[Any]) -> Row | None:
    row = (await connection.execute(wanted)).mappings().one_or_none()
    return None if row is None else row_type(**row)


async def find_by_key(
    connection: AsyncConnection, row_type: type[Row], owner_id: str, key: str, *, made_since: int
) -> Row | None:
    """What was made with an idempotency key; an older one's key is freed."""
    table = TABLES[row_type]
    with_key = (table.c.owner_id == owner_id) & (table.c.idempotency_key == key)
    freed = sql.update(table).where(with_key, table.c.created_at < made_since).values(idempotency_key=None)
    await connection.execute(freed)
    return await find_one(connection, row_type, sql.select(table).where(with_key))


async def find_all(connection: AsyncConnection, row_type: type[Row], wanted: sql.Select[Any]) -> list[Row]:
    return [row_type(**row) for row in (await connection.execute(wanted)).mappings()]


async def find_page(
    connection: AsyncConnection,
    row_type: type[Row],
    *where: sql.ColumnElement[bool],
    newest_by: Sequence[str] = ("created_at",),
    limit: int,
    offset: int,
) -> tuple[list[Row], int]:
    """A page of the rows, newest first, and how many there are in all."""
    table = TABLES[row_type]
    newest_first = sql.select(table).where(*where).order_by(*(table.c[name].desc() for name in newest_by), table.c.id)
    found = await find_all(connection, row_type, newest_first.limit(limit).offset(offset))
    return found, await count(connection, table, *where)


async def count(connection: AsyncConnection, table: sql.FromClause, *where: sql.ColumnElement[bool]) -> int:
    return (await connection.execute(sql.select(sql.func.count()).select_from(table).where(*where))).scalar_one()


def values(row: Any, *, without: str = "seq") -> dict[str, Any]:
    """What is written of a row; `without` names the field that the database or a query makes."""
    return {field.name: getattr(row, field.name) for field in fields(row) if field.name != without}


def parts(everything: Sequence[Value]) -> Iterator[Sequence[Value]]:
    """A large sequence in pieces of a size that one statement can take."""
    return (everything[start : start + PART] for start in range(0, len(everything), PART))


def storable(text: str) -> str:
    """Without what a database or UTF-8 cannot take: PostgreSQL stores no NUL, and half a surrogate pair is no text."""
    return text.replace("\0", " ").encode("utf-8", "replace").decode()
