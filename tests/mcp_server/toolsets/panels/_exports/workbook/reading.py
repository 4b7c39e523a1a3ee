"""Read a workbook back, as another program does."""

import io
from typing import Any
from zipfile import ZipFile

from openpyxl import load_workbook


def opened(content: bytes) -> Any:
    return load_workbook(io.BytesIO(content))


def parts(content: bytes) -> dict[str, str]:
    """The XML files inside."""
    with ZipFile(io.BytesIO(content)) as archive:
        return {name: archive.read(name).decode() for name in archive.namelist()}


def rows_of(sheet: Any) -> list[list[Any]]:
    return [list(row) for row in sheet.iter_rows(values_only=True)]


def below(sheet: Any, heading: str) -> list[list[Any]]:
    """The rows from `heading` in the first column to the next free one, without empty cells at their ends."""
    rows = rows_of(sheet)
    start = next(number for number, row in enumerate(rows) if row[0] == heading)
    found = []
    for row in rows[start + 1 :]:
        while row and row[-1] is None:
            row.pop()
        if not row:
            break
        found.append(row)
    return found
