"""The log as commands read it: from the files, or from the table; in order of time, or from a moment to another."""

import heapq
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from sqlalchemy import and_, select
from sqlalchemy.ext.asyncio import AsyncEngine

from app.audit.database import PAGE, audit_rows
from mcp_server.audit.chain import Unreadable, instant, read_body
from mcp_server.audit.files import parts, stored_lines
from mcp_server.audit.verifying import Stored


@dataclass(frozen=True, slots=True)
class Known:
    """A row with its mark."""

    told: dict[str, Any]
    hash: str

    @property
    def order(self) -> tuple[str, str, int]:
        """By time, and rows of one moment as they were written."""
        return self.told["time"], self.told["chain"], self.told["seq"]


def span(since: datetime | None, until: datetime | None) -> tuple[str, str]:
    """As rows tell the time; open ends are before and after everything."""
    return instant(since.timestamp()) if since else "", instant(until.timestamp()) if until else "~"


def from_files(folder: Path, since: str, until: str) -> Iterator[Known]:
    """In order of time: each chain is in its order, so that they are merged and not sorted."""
    chains: dict[str, list[Path]] = {}
    for part in parts(folder):
        chains.setdefault(part.chain, []).append(part.path)
    merged = heapq.merge(*(_chain(paths) for paths in chains.values()), key=lambda row: row.order)
    return (row for row in merged if since <= row.told["time"] < until)


def chain_of_files(folder: Path, chain: str) -> Iterator[dict[str, Any]]:
    """The readable rows of one chain, in its order."""
    return (row.told for row in _chain([part.path for part in parts(folder) if part.chain == chain]))


def _chain(paths: list[Path]) -> Iterator[Known]:
    for path in paths:
        for line in stored_lines(path):
            if isinstance(line, Stored):
                try:
                    told = read_body(line.body)
                except Unreadable:  # `audit verify` names it
                    continue
                if "time" in told and "event" in told and "outcome" in told:
                    yield Known(told, line.hash)


async def from_table(engine: AsyncEngine, since: str, until: str) -> AsyncIterator[Known]:
    """In order of time, in pages."""
    after = (since, "", -1)
    order = (audit_rows.c.time, audit_rows.c.chain, audit_rows.c.seq)
    async with engine.execution_options(read_only=True).connect() as connection:
        while True:
            time, chain, seq = after
            later = (
                (audit_rows.c.time > time)
                | and_(audit_rows.c.time == time, audit_rows.c.chain > chain)
                | and_(audit_rows.c.time == time, audit_rows.c.chain == chain, audit_rows.c.seq > seq)
            )
            query = select(audit_rows).where(later, audit_rows.c.time < until).order_by(*order).limit(PAGE)
            page = (await connection.execute(query)).mappings().all()
            for row in page:
                yield Known(read_body(row["row"].encode()), row["hash"])
            if len(page) < PAGE:
                return
            after = (page[-1]["time"], page[-1]["chain"], page[-1]["seq"])


async def latest_in_table(engine: AsyncEngine, most: int) -> list[Known]:
    """The last rows, oldest first."""
    query = select(audit_rows).order_by(audit_rows.c.time.desc(), audit_rows.c.chain.desc(), audit_rows.c.seq.desc())
    async with engine.execution_options(read_only=True).connect() as connection:
        rows = (await connection.execute(query.limit(most))).mappings().all()
    return [Known(read_body(row["row"].encode()), row["hash"]) for row in reversed(rows)]
