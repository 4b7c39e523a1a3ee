"""The toolset `notes` beside the product's own, and somebody who writes notes in another process."""

import asyncio
import sys
from pathlib import Path

import pytest

from mcp_server import toolsets

FOLDER = Path(__file__).resolve().parent / "toolsets"
FIRST, SECOND, PRIVATE = "note://open/first", "note://open/second", "note://private/first"
WRITE = """
import sqlite3, sys
with sqlite3.connect(sys.argv[1]) as database:
    database.execute("CREATE TABLE IF NOT EXISTS notes (slug TEXT UNIQUE, first INT, revision INT)")
    [revision] = database.execute("SELECT coalesce(max(revision), 0) + 1 FROM notes").fetchone()
    again = "ON CONFLICT (slug) DO UPDATE SET revision = excluded.revision"
    database.execute(f"INSERT INTO notes VALUES (?, ?, ?) {again}", (sys.argv[2], revision, revision))
"""


@pytest.fixture
async def notes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file of the notes, with the first in it; and `notes` is a toolset like all others."""
    file = tmp_path / "notes.sqlite"
    monkeypatch.setenv("NOTES_FILE", str(file))
    monkeypatch.setattr(toolsets, "__path__", [*toolsets.__path__, str(FOLDER)])
    await write_elsewhere(file, "first")
    return file


async def write_elsewhere(file: Path, slug: str) -> None:
    """Write a note in another process, as another worker would."""
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", WRITE, str(file), slug)
    assert await process.wait() == 0
