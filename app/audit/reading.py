"""The log as commands read it, from the files or from the table, in order of time; as JSON lines and CEF; and the files
and the table beside each other: what is missing in one of them is named.

A chain in each place numbers its own rows, and what the log says of itself differs; the events are the same, in the
same order and of the same moments. Rows within a chain prove each other, so what can be gone unseen is its end, or
all of it.
"""

import heapq
import time
from collections.abc import AsyncGenerator, Callable, Iterator, Mapping, Sequence
from contextlib import aclosing
from datetime import datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

import orjson
from sqlalchemy import RowMapping, select
from sqlalchemy.ext.asyncio import AsyncEngine

from app.audit.database import audit_rows, stored_rows
from app.audit.recording import places
from app.settings import Settings
from mcp_server.audit.chain import Unreadable, instant, read_body
from mcp_server.audit.entries import CONTROL, Event
from mcp_server.audit.files import chain_files, folder_of, stored_lines
from mcp_server.audit.sinks import DAY
from mcp_server.audit.verifying import MOST_FAULTS, ChainState, Fault, Report, Stored

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


async def read_rows(
    settings: Settings, engine: AsyncEngine, source: str, since: str = "", until: str = "~", chain: str | None = None
) -> AsyncGenerator[Known, None]:
    """Those of the files or of the table, in order of time; with `chain` only the rows of that one."""
    if source == "file":
        chains = chain_files(folder_of(settings.data_dir))
        wanted = chains.values() if chain is None else [chains.get(chain, [])]
        # Each chain is in its order, so that they are merged and not sorted.
        for row in heapq.merge(*map(rows_of, wanted), key=lambda row: row.order):
            if since <= row.fields["time"] < until:
                yield row
        return
    within = [audit_rows.c.time >= since, audit_rows.c.time < until]
    # Of one chain in the order of its numbers, which has an index.
    order = ("time", "chain", "seq") if chain is None else ("chain", "seq")
    of_chain = [] if chain is None else [audit_rows.c.chain == chain]
    async with aclosing(stored_rows(engine, *within, *of_chain, order=order)) as found:
        async for each in found:
            yield _known(each)


def rows_of(paths: Sequence[Path]) -> Iterator[Known]:
    for line in (line for path in paths for line in stored_lines(path)):
        if isinstance(line, Stored):
            try:
                fields = read_body(line.body)
            except Unreadable:  # `audit verify` names it
                continue
            if "time" in fields and "event" in fields and "outcome" in fields:
                yield Known(fields, line.hash)


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


LATE_SECONDS = 10.0  # so far two places may be apart while a process writes, or when it was killed


async def compare(settings: Settings, engine: AsyncEngine, reports: Mapping[str, Report], late: str) -> None:
    """Add to each report what the other place has and this one should have. `late` is before both were read."""
    kept_since = instant(time.time() - settings.audit_retention_days * DAY)
    for sink, other in (("file", "database"), ("database", "file")):
        here, place = reports[sink], places(settings)[sink]
        chains = {name: state for name, state in here.chains.items() if state.last}
        faulty = {fault.chain for fault in here.faults}
        for chain, state in reports[other].chains.items():
            own = chains.get(chain)
            if not state.last or chain in faulty or not is_doubtful(own, state, sink, place, has_any=bool(chains)):
                continue
            since = max(kept_since, here.cut_before.get(chain, ""))
            async with aclosing(read_rows(settings, engine, other, chain=chain)) as rows:
                missing = (row.fields async for row in rows if is_missing(row.fields, own, state, since, late))
                first = await anext(missing, None)
            if first is not None and len(here.faults) < MOST_FAULTS:
                event, at, seq = (first[name] for name in ("event", "time", "seq"))
                text = f"{other} has {event} of {at} as its row {seq}; from there on nothing is here"
                here.faults.append(Fault("missing", chain, chain, seq, text))


def is_doubtful(own: ChainState | None, there: ChainState, sink: str, place: str, *, has_any: bool) -> bool:
    """Whether a chain that is `there` should be in this `sink` at this `place` as well, and may not be all here."""
    if own is not None:
        return not own.is_closed
    named = (there.places or {}).get(sink)
    # Another host's files are elsewhere. But who has nothing at all here cannot say that.
    return named is not None and (named == place or not has_any)


def is_missing(fields: Fields, own: ChainState | None, there: ChainState, since: str, late: str) -> bool:
    """Whether this row, which is `there`, should be here: after the end of what is, in a chain of which `own` is known.

    Not what retention took, before `since`; nor, in a chain that has not ended, the last seconds, from `late` on.
    """
    event, moment = fields["event"], fields["time"]
    if moment < since or (event in CONTROL and event not in {Event.AUDIT_START, Event.AUDIT_END}):
        return False
    if own is not None and (event == Event.AUDIT_START or (event != Event.AUDIT_END and moment <= own.last)):
        return False
    killed = instant(datetime.fromisoformat(there.last).timestamp() - LATE_SECONDS)
    return there.is_closed or moment < min(late, killed)
