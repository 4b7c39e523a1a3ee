"""Rows in the one database, SQLite or PostgreSQL: what the account page reads, and several machines share.

A row is one text, byte for byte as it was marked; columns are for finding it.
"""

from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

import sqlalchemy as sql
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncEngine

from app.storage.engine import first_line
from mcp_server.audit.chain import Row, instant
from mcp_server.audit.entries import CONTROL
from mcp_server.audit.sinks import Head, Heads, Sink, SinkFailed
from mcp_server.audit.verifying import Controls, Report, Stored, Verifier
from oauth.errors import StoreUnavailable
from oauth.stores import base

MOST_HEADS = 50
PAGE = 2_000
MOST_EXPIRED = 1_000_000
"""Rows that are found to be old at once, so that the question ends in time however many there are."""

metadata = sql.MetaData()

CHAIN, TIME, HASH, WORD, NAME = 40, 27, 64, 64, 300

audit_rows = sql.Table(
    "audit_rows",
    metadata,
    sql.Column("chain", sql.String(CHAIN), primary_key=True),
    sql.Column("seq", sql.BigInteger().with_variant(sql.Integer(), "sqlite"), primary_key=True, autoincrement=False),
    sql.Column("time", sql.String(TIME), nullable=False),  # as in the row: text of one length sorts as time does
    sql.Column("event", sql.String(WORD), nullable=False),
    sql.Column("subject", sql.String(NAME)),
    sql.Column("row", sql.Text, nullable=False),
    sql.Column("hash", sql.String(HASH), nullable=False),
    sql.Index("ix_audit_rows_subject_event_time", "subject", "event", "time"),
    sql.Index("ix_audit_rows_time", "time"),
    sql.Index("ix_audit_rows_event", "event"),
)

audit_chains = sql.Table(
    "audit_chains",
    metadata,
    sql.Column("chain", sql.String(CHAIN), primary_key=True),
    sql.Column("seq", sql.BigInteger().with_variant(sql.Integer(), "sqlite"), nullable=False),
    sql.Column("hash", sql.String(HASH), nullable=False),
    sql.Column("quiet", sql.Boolean, nullable=False),
    sql.Column("time", sql.String(TIME), nullable=False),
    sql.Index("ix_audit_chains_time", "time"),
)
"""Where each chain was at its last write: what other chains remember. No proof of anything by itself."""

# Made once: each write would spend as long on making them as on a hundred rows.
ADD_ROWS = sql.insert(audit_rows)
MOVE_HEAD = sql.update(audit_chains).where(audit_chains.c.chain == sql.bindparam("of"))


class DatabaseSink(Sink):
    """Writes a batch in one transaction, on an engine that the caller owns."""

    name, is_durable = "database", True

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine, self._reader = engine, engine.execution_options(read_only=True)
        self._may_be_there = False
        adding = ADD_ROWS.compile(dialect=engine.dialect)
        self._add, self._order = adding.string, adding.positiontup

    async def write(self, rows: Sequence[Row]) -> None:
        async with answering(), self._engine.begin() as connection:
            if self._may_be_there:
                same = sql.delete(audit_rows).where(
                    audit_rows.c.chain == rows[0].chain, audit_rows.c.seq >= rows[0].seq
                )
                await connection.execute(same)
            # Who is stopped between the commit and hearing of it writes the same rows again.
            self._may_be_there = True
            await connection.exec_driver_sql(self._add, [self._parameters(row) for row in rows])
            last = rows[-1]
            is_quiet = last.entry.event in CONTROL
            head = {"seq": last.seq, "hash": last.hash, "quiet": is_quiet, "time": last.fields["time"]}
            known = await connection.execute(MOVE_HEAD, {"of": last.chain, **head})
            if known.rowcount == 0:
                await connection.execute(sql.insert(audit_chains), {"chain": last.chain, **head})
        self._may_be_there = False

    async def heads(self) -> Heads:
        return await self._heads(sql.select(audit_chains).order_by(audit_chains.c.time.desc()).limit(MOST_HEADS))

    async def expired(self, before: float) -> Heads:
        keys = sql.select(audit_rows.c.chain, audit_rows.c.seq).where(audit_rows.c.time < instant(before))
        oldest = keys.order_by(audit_rows.c.time).limit(MOST_EXPIRED).subquery()
        last = sql.select(oldest.c.chain, sql.func.max(oldest.c.seq).label("seq")).group_by(oldest.c.chain).subquery()
        same = sql.and_(audit_rows.c.chain == last.c.chain, audit_rows.c.seq == last.c.seq)
        return await self._heads(sql.select(audit_rows.c.chain, audit_rows.c.seq, audit_rows.c.hash).join(last, same))

    async def drop(self, cuts: Heads) -> bool:
        for chain, cut in cuts.items():
            old = sql.and_(audit_rows.c.chain == chain, audit_rows.c.seq <= cut.seq)
            few = sql.select(audit_rows.c.seq).where(old).order_by(audit_rows.c.seq).limit(PAGE)
            async with answering(), self._engine.begin() as connection:
                gone = await connection.execute(sql.delete(audit_rows).where(old, audit_rows.c.seq.in_(few)))
                if gone.rowcount == PAGE:
                    return True
                ended = sql.and_(audit_chains.c.chain == chain, audit_chains.c.seq <= cut.seq)
                await connection.execute(sql.delete(audit_chains).where(ended))
        return False

    def _parameters(self, row: Row) -> Any:
        """As the driver takes them: SQLAlchemy's own way there costs more than all else that is done for a row."""
        columns = {
            "chain": row.chain,
            "seq": row.seq,
            "time": row.fields["time"],
            "event": str(row.entry.event),
            "subject": row.fields.get("subject"),
            "row": row.body.decode(),
            "hash": row.hash,
        }
        return columns if self._order is None else tuple([columns[name] for name in self._order])

    async def _heads(self, query: sql.Select[Any]) -> Heads:
        async with answering(), self._reader.connect() as connection:
            rows = (await connection.execute(query)).mappings()
            return {row["chain"]: Head(row["seq"], row["hash"]) for row in rows}


@asynccontextmanager
async def answering() -> AsyncIterator[None]:
    """Every failure of the database, and its silence, as `SinkFailed`. The first line: the rest quotes statements."""
    try:
        async with base.answering():
            yield
    except (StoreUnavailable, IntegrityError) as fault:
        raise SinkFailed(first_line(fault)) from None


async def stored_rows(
    engine: AsyncEngine, *conditions: sql.ColumnElement[bool], order: Sequence[str] = ("chain", "seq")
) -> AsyncGenerator[sql.RowMapping, None]:
    """The rows, read in pages, in the order of columns that are unique together: by default each chain in its own."""
    columns = [audit_rows.c[name] for name in order]
    query = sql.select(audit_rows).where(*conditions).order_by(*columns).limit(PAGE)
    async with engine.execution_options(read_only=True).connect() as connection:
        page = (await connection.execute(query)).mappings().all()
        while page:
            for row in page:
                yield row
            after = sql.tuple_(*columns) > tuple(page[-1][name] for name in order)
            page = (await connection.execute(query.where(after))).mappings().all()


async def verify_table(engine: AsyncEngine, controls: Controls) -> Report:
    """Every row of the table. Raises `SQLAlchemyError`."""
    is_control = audit_rows.c.event.in_([str(event) for event in CONTROL])
    async for row in stored_rows(engine, is_control):
        controls.gather(stored(row))
    verifier = Verifier(controls)
    async for row in stored_rows(engine):
        verifier.feed(stored(row))
    return verifier.finish()


def stored(row: sql.RowMapping) -> Stored:
    """A row of the table for the verification, which compares the columns with the row itself."""
    columns = {name: row[name] for name in ("chain", "seq", "time", "event", "subject")}
    place = f"audit_rows {row['chain']}#{row['seq']}"
    return Stored(place, row["row"].encode(errors="replace"), row["hash"], columns)
