"""The log as commands read it, from the files or from the table, in order of time; and as JSON lines and CEF."""

import heapq
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from datetime import datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

import orjson
from sqlalchemy import RowMapping, select
from sqlalchemy.ext.asyncio import AsyncEngine

from app.audit.database import audit_rows, stored_rows
from mcp_server.audit.chain import Unreadable, instant, read_body
from mcp_server.audit.entries import Event
from mcp_server.audit.files import chain_files, stored_lines
from mcp_server.audit.verifying import Stored

Fields = Mapping[str, Any]

PRODUCT = "minds-gateway"
VERSION = version("minds-gateway")
"""Looked up once: that reads the installed files, and took nine tenths of an export's time."""

ALARMING = frozenset({Event.TOKEN_REUSED, Event.CODE_REUSED, Event.INTERNAL_ERROR, Event.AUDIT_GAP})
CEF_NAMES = (
    ("subject", "suid"), ("address", "src"), ("request", "externalId"), ("tool", "act"), ("reason", "reason"),
    ("outcome", "outcome"),
)  # fmt: skip
CEF_CUSTOM = (("client", "cs1", "client"), ("chain", "cs2", "chain"), ("arguments", "cs3", "argumentsDigest"))
CEF_ESCAPES = str.maketrans({"\\": "\\\\", "=": "\\=", "\n": "\\n", "\r": "\\r"})


class Known(NamedTuple):
    fields: dict[str, Any]
    hash: str

    @property
    def order(self) -> tuple[str, str, int]:
        """By time, and rows of one moment as they were written."""
        return self.fields["time"], self.fields["chain"], self.fields["seq"]


def span(since: datetime | None, until: datetime | None) -> tuple[str, str]:
    """As rows have the time; open ends are before and after everything."""
    return instant(since.timestamp()) if since else "", instant(until.timestamp()) if until else "~"


def from_files(folder: Path, since: str, until: str) -> Iterator[Known]:
    """In order of time: each chain is in its order, so that they are merged and not sorted."""
    merged = heapq.merge(*map(rows_of, chain_files(folder).values()), key=lambda row: row.order)
    return (row for row in merged if since <= row.fields["time"] < until)


def rows_of(paths: Sequence[Path]) -> Iterator[Known]:
    for line in (line for path in paths for line in stored_lines(path)):
        if isinstance(line, Stored):
            try:
                fields = read_body(line.body)
            except Unreadable:  # `audit verify` names it
                continue
            if "time" in fields and "event" in fields and "outcome" in fields:
                yield Known(fields, line.hash)


async def from_table(engine: AsyncEngine, since: str, until: str) -> AsyncIterator[Known]:
    within = audit_rows.c.time >= since, audit_rows.c.time < until
    async for row in stored_rows(engine, *within, order=("time", "chain", "seq")):
        yield _known(row)


async def latest_in_table(engine: AsyncEngine, most: int) -> list[Known]:
    query = select(audit_rows).order_by(audit_rows.c.time.desc(), audit_rows.c.chain.desc(), audit_rows.c.seq.desc())
    async with engine.execution_options(read_only=True).connect() as connection:
        rows = (await connection.execute(query.limit(most))).mappings().all()
    return [_known(row) for row in reversed(rows)]


def _known(row: RowMapping) -> Known:
    return Known(read_body(row["row"].encode()), row["hash"])


def as_jsonl(fields: Fields, mark: str) -> str:
    return orjson.dumps({**fields, "hash": mark}, option=orjson.OPT_SORT_KEYS).decode()


def as_cef(fields: Fields, mark: str) -> str:
    """ArcSight's Common Event Format, version 0."""
    event = fields["event"]
    head = ["CEF:0", PRODUCT, PRODUCT, VERSION, event, event, str(cef_severity(fields))]
    extension = {
        "rt": str(round(datetime.fromisoformat(fields["time"]).timestamp() * 1000)),
        "cn1": str(fields["seq"]),
        "cn1Label": "seq",
    }
    extension |= {cef: str(fields[name]) for name, cef in CEF_NAMES if name in fields}
    for name, cef, label in CEF_CUSTOM:
        if name in fields:
            extension |= {cef: str(fields[name]), f"{cef}Label": label}
    extension |= {"cs4": mark, "cs4Label": "hash"}
    tail = " ".join(f"{name}={value.translate(CEF_ESCAPES)}" for name, value in extension.items())
    return "|".join([*(text.replace("\\", "\\\\").replace("|", "\\|") for text in head), tail])


def cef_severity(fields: Fields) -> int:
    """0 to 10: what went well is low, what looks like theft is high."""
    if fields["event"] in ALARMING:
        return 8
    return 3 if fields["outcome"] == "ok" else 5


FORMATS: Mapping[str, Callable[[Fields, str], str]] = {"jsonl": as_jsonl, "cef": as_cef}
