"""The files and the table beside each other: what is missing in one of them is named.

A chain in each place numbers its own rows, and what the log says of itself differs; the events are the same, in the
same order and of the same moments. Rows within a chain prove each other, so what can be gone unseen is its end, or
all of it.
"""

import time
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from datetime import datetime
from pathlib import Path

from sqlalchemy.ext.asyncio import AsyncEngine

from app.audit.database import audit_rows, stored_rows
from app.audit.reading import Fields, rows_of
from app.audit.recording import places
from app.settings import Settings
from mcp_server.audit.chain import instant, read_body
from mcp_server.audit.entries import CONTROL, Event
from mcp_server.audit.files import chain_files, folder_of
from mcp_server.audit.sinks import DAY
from mcp_server.audit.verifying import MOST_FAULTS, ChainState, Fault, Report

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
            async with aclosing(_rows(folder_of(settings.data_dir), engine, other, chain)) as rows:
                missing = (fields async for fields in rows if is_missing(fields, own, state, since, late))
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


async def _rows(folder: Path, engine: AsyncEngine, source: str, chain: str) -> AsyncGenerator[Fields, None]:
    if source == "file":
        for row in rows_of(chain_files(folder).get(chain, [])):
            yield row.fields
        return
    async with aclosing(stored_rows(engine, audit_rows.c.chain == chain)) as found:
        async for each in found:
            yield read_body(each["row"].encode())
