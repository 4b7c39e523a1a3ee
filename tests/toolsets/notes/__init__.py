"""A toolset whose resources change: notes in a file, into which any process may write."""

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from mcp_server.runtime import Runtime
from mcp_server.toolkit.changes import Changed
from tests.toolsets.notes.service import Notes


@asynccontextmanager
async def open_service(_runtime: Runtime) -> AsyncIterator[Notes]:
    yield Notes(Path(os.environ["NOTES_FILE"]))


async def watch(notes: Notes, since: int | None) -> Changed:
    """What was written after the revision `since`; it is a new note where that was its first."""
    [[revision]] = await notes.rows("SELECT max(revision) FROM notes")
    rows = await notes.rows("SELECT slug, first FROM notes WHERE revision > ?", revision if since is None else since)
    uris = frozenset(f"note://{scope}/{slug}" for slug, _ in rows for scope in ("open", "private"))
    return Changed(revision, uris, any(first > (since or 0) for _, first in rows))
