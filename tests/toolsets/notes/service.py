"""The notes, as they are read."""

import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any


class Notes:
    """The notes in `file`. `looks` counts how often anybody asked what is new."""

    def __init__(self, file: Path) -> None:
        self._file, self.looks = file, 0

    async def read(self, slug: str) -> str:
        rows = await asyncio.to_thread(self._rows, "SELECT text FROM notes WHERE slug = ?", slug)
        return str(rows[0][0]) if rows else ""

    async def written(self, since: int | None) -> tuple[int, list[tuple[str, bool]]]:
        """The newest revision; and which notes were written after `since`, and whether for the first time."""
        self.looks += 1
        if since is None:
            [[revision]] = await asyncio.to_thread(self._rows, "SELECT coalesce(max(revision), 0) FROM notes")
            return revision, []
        changed = "SELECT slug, first = revision, revision FROM notes WHERE revision > ?"
        rows = await asyncio.to_thread(self._rows, changed, since)
        return max([since, *(row[2] for row in rows)]), [(slug, bool(is_new)) for slug, is_new, _ in rows]

    def _rows(self, statement: str, *values: object) -> list[tuple[Any, ...]]:
        with closing(sqlite3.connect(self._file)) as database:
            return database.execute(statement, values).fetchall()
