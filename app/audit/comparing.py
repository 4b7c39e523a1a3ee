"""The files and the table beside each other: what is missing in one of them is named.

A chain in each place numbers its own rows, and what the log says of itself differs; the events are the same, in the
same order and of the same moments. Rows within a chain prove each other, so what can be gone unseen is its end, or
all of it.
"""

import time
from collections.abc import AsyncIterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from sqlalchemy.ext.asyncio import AsyncEngine

from app.audit.database import audit_rows, stored_rows
from app.audit.opening import places
from app.audit.reading import chain_of_files
from app.settings import Settings
from mcp_server.audit.chain import instant, read_body
from mcp_server.audit.entries import CONTROL, Event
from mcp_server.audit.local import folder_of
from mcp_server.audit.trail import DAY
from mcp_server.audit.verifying import MOST_FAULTS, End, Fault, Report

Told = Mapping[str, Any]
LATE_SECONDS = 10.0
"""So far two places may be apart while a process writes, or when it was killed."""


async def compare(settings: Settings, engine: AsyncEngine, reports: Mapping[str, Report], late: str) -> None:
    """Add to each report what the other place has and this one should have. `late` is before both were read."""
    kept_since = instant(time.time() - settings.audit_retention_days * DAY)
    for sink, other in (("file", "database"), ("database", "file")):
        here, there = reports[sink], reports[other]
        faulty = {fault.chain for fault in here.faults}
        for chain, end in there.ends.items():
            own = here.ends.get(chain)
            if chain in faulty or not is_doubtful(own, end, sink, places(settings)[sink], has_any=bool(here.ends)):
                continue
            since = max(kept_since, here.cut_before.get(chain, ""))
            first: Told | None = None
            async for told in _rows(folder_of(settings.data_dir), engine, other, chain):
                if first is None and is_missing(told, own, end, since, late):
                    first = told
            if first is not None and len(here.faults) < MOST_FAULTS:
                text = f"{other} has {first['event']} of {first['time']} as its row {first['seq']}; from there on"
                here.faults.append(Fault("missing", chain, chain, first["seq"], f"{text} nothing is here"))


def is_doubtful(own: End | None, there: End, sink: str, place: str, *, has_any: bool) -> bool:
    """Whether a chain that is `there` should be in this `sink` at this `place` as well, and may not be all here."""
    if own is not None:
        return not own.is_closed
    named = (there.places or {}).get(sink)
    # Another host's files are elsewhere. But who has nothing at all here cannot say that.
    return named is not None and (named == place or not has_any)


def is_missing(told: Told, own: End | None, there: End, since: str, late: str) -> bool:
    """Whether this row, which is `there`, should be here: after the end of what is, in a chain of which `own` is known.

    Not what retention took, before `since`; nor, in a chain that has not ended, the last seconds, from `late` on.
    """
    event, moment = told["event"], told["time"]
    if moment < since or (event in CONTROL and event not in {Event.AUDIT_START, Event.AUDIT_END}):
        return False
    if own is not None and (event == Event.AUDIT_START or (event != Event.AUDIT_END and moment <= own.last)):
        return False
    killed = instant(datetime.fromisoformat(there.last).timestamp() - LATE_SECONDS)
    return there.is_closed or moment < min(late, killed)


async def _rows(folder: Path, engine: AsyncEngine, source: str, chain: str) -> AsyncIterator[Told]:
    if source == "file":
        for told in chain_of_files(folder, chain):
            yield told
        return
    async for page in stored_rows(engine, audit_rows.c.chain == chain):
        for row in page:
            yield read_body(row["row"].encode())
