"""The notes in a file of SQLite."""

import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any


class Notes:
    def __init__(self, file: Path) -> None:
        self._file = file

    async def rows(self, statement: str, *values: object) -> list[tuple[Any, ...]]:
        return await asyncio.to_thread(self._rows, statement, values)

    def _rows(self, statement: str, values: tuple[object, ...]) -> list[tuple[Any, ...]]:
        with closing(sqlite3.connect(self._file)) as database:
            return database.execute(statement, values).fetchall()
