"""Rows as dataclasses: what every file of statements reads and writes with."""

from collections.abc import Iterator, Sequence
from dataclasses import fields
from typing import Any, TypeVar

from sqlalchemy import ColumnElement, FromClause, Select, func, select
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

Row = TypeVar("Row")
Value = TypeVar("Value")
PART = 500
"""Rows read or written at once, so that a large audience holds up nobody else; databases limit it too."""


async def find_one(connection: AsyncConnection, row_type: type[Row], wanted: Select[Any]) -> Row | None:
    row = (await connection.execute(wanted)).mappings().one_or_none()
    return None if row is None else row_type(**row)


async def find_all(connection: AsyncConnection, row_type: type[Row], wanted: Select[Any]) -> list[Row]:
    return [row_type(**row) for row in (await connection.execute(wanted)).mappings()]


async def find_page(
    connection: AsyncConnection, row_type: type[Row], wanted: Select[Any], *, limit: int, offset: int
) -> tuple[list[Row], int]:
    """A part of an ordered selection, and how many rows there are in all."""
    everything = wanted.order_by(None).subquery()
    total = await connection.execute(select(func.count()).select_from(everything))
    return await find_all(connection, row_type, wanted.limit(limit).offset(offset)), total.scalar_one()


async def count(connection: AsyncConnection, table: FromClause, *where: ColumnElement[bool]) -> int:
    return (await connection.execute(select(func.count()).select_from(table).where(*where))).scalar_one()


async def finds_any(engine: AsyncEngine, wanted: Select[Any]) -> bool:
    """Most looks for a job find nothing; on SQLite a read does not hold up those who write."""
    async with engine.execution_options(read_only=True).connect() as connection:
        return (await connection.execute(wanted)).first() is not None


def values(row: Any, *, without: str = "seq") -> dict[str, Any]:
    """What is written of a row; `without` names the field that the database or a query makes."""
    return {field.name: getattr(row, field.name) for field in fields(row) if field.name != without}


def parts(everything: Sequence[Value]) -> Iterator[Sequence[Value]]:
    """A large sequence in pieces of a size that one statement can take."""
    return (everything[start : start + PART] for start in range(0, len(everything), PART))
