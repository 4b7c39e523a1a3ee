"""A toolset whose resources change: notes in a file of SQLite, into which any process may write."""

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from mcp_server.runtime import Runtime
from mcp_server.toolkit.changes import Changed
from tests.toolsets.notes.service import Notes

TITLE = "Notes"


@asynccontextmanager
async def open_service(_runtime: Runtime) -> AsyncIterator[Notes]:
    yield Notes(Path(os.environ["NOTES_FILE"]))


async def watch(notes: Notes, since: int | None) -> Changed:
    """What was written after the revision `since`."""
    revision, written = await notes.written(since)
    uris = frozenset(f"note://{scope}/{slug}" for slug, _ in written for scope in ("open", "private"))
    return Changed(revision, uris, any(is_new for _, is_new in written))
