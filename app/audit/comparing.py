"""The files and the table beside each other: what is missing in one of them is named."""

import time
from collections.abc import AsyncIterator, Mapping
from typing import Any

from sqlalchemy.ext.asyncio import AsyncEngine

from app.audit.database import stored_rows
from app.audit.opening import places
from app.audit.reading import chain_of_files
from app.audit.tables import audit_rows
from app.settings import Settings
from mcp_server.audit.chain import instant, read_body
from mcp_server.audit.comparing import Allowed, End, Search, doubtful
from mcp_server.audit.local import folder_of
from mcp_server.audit.trail import DAY
from mcp_server.audit.verifying import MOST_FAULTS, Fault, Report


async def compare(settings: Settings, engine: AsyncEngine, reports: Mapping[str, Report], late: str) -> None:
    """Add to each report what the other place has and this one should have. `late` is before both were read."""
    kept_since = instant(time.time() - settings.audit_retention_days * DAY)
    for sink, other in (("file", "database"), ("database", "file")):
        here, there = reports[sink], reports[other]
        faulty = {fault.chain for fault in here.faults}
        for chain in doubtful(here.ends, there.ends, sink, places(settings)[sink]):
            if chain in faulty or len(here.faults) >= MOST_FAULTS:
                continue
            allowed = Allowed(max(kept_since, here.cut_before.get(chain, "")), late)
            first = await _first(settings, engine, other, chain, allowed, here.ends.get(chain), there.ends[chain])
            if first is not None:
                text = f"{other} has {first['event']} of {first['time']} as its row {first['seq']}; from there on"
                here.faults.append(Fault("missing", chain, chain, first["seq"], f"{text} nothing is here"))


async def _first(
    settings: Settings, engine: AsyncEngine, there: str, chain: str, allowed: Allowed, here: End | None, end: End
) -> Mapping[str, Any] | None:
    search = Search(here, lambda told: allowed.covers(told, here, end))
    async for told in _rows(settings, engine, there, chain):
        search.feed(told)
    return search.first


async def _rows(settings: Settings, engine: AsyncEngine, source: str, chain: str) -> AsyncIterator[Mapping[str, Any]]:
    if source == "file":
        for told in chain_of_files(folder_of(settings.data_dir), chain):
            yield told
        return
    async for page in stored_rows(engine, audit_rows.c.chain == chain):
        for row in page:
            yield read_body(row["row"].encode())
