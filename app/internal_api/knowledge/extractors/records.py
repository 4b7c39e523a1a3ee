"""CSV and JSON: rows and members become lines that read like sentences, to be found and cited."""

import csv
import io
from collections.abc import Iterator
from itertools import zip_longest

import orjson

from app.internal_api.knowledge.documents import SourceRefused
from app.internal_api.knowledge.extractors.plain import Extracted, bounded, check_count, decode_text

SAMPLE = 16_384
DELIMITERS = ",;\t|"
MAX_CONTAINERS, MAX_VALUES = 200_000, 1_000_000
MAX_DEPTH = 200  # far beyond documents, far below the recursion limit


def extract_csv(data: bytes, charset: str | None) -> Extracted:
    """Each row as `Header: value; Header: value`, one a line."""
    text = decode_text(data, charset)
    first = text[:SAMPLE].lstrip("\n").partition("\n")[0]
    rows = csv.reader(io.StringIO(text), delimiter=max(DELIMITERS, key=first.count), strict=False)
    try:
        header = [cell.strip() for cell in next(rows, [])]
        lines = list(bounded(_rows(header, rows)))
    except csv.Error:  # a field longer than the reader takes: then it is no table, but text all the same
        return Extracted((text,))
    # A table of one line has no rows; its header is all that it says.
    return Extracted(("\n".join(lines) or ", ".join(header),))


def _rows(header: list[str], rows: Iterator[list[str]]) -> Iterator[str]:
    for row in rows:
        cells = [(name, " ".join(cell.split())) for name, cell in zip_longest(header[: len(row)], row, fillvalue="")]
        if line := "; ".join(f"{name}: {cell}" if name else cell for name, cell in cells if cell):
            yield line


def extract_json(data: bytes, charset: str | None) -> Extracted:
    """Each object of plain members as one line, with the path that leads to it; JSON Lines as well.

    Raises `SourceRefused`: `unreadable_json`.
    """
    text = decode_text(data, charset)
    check_count(text.count("[") + text.count("{"), MAX_CONTAINERS, "arrays and objects")
    check_count(text.count(","), MAX_VALUES, "values")
    try:
        root = orjson.loads(text)
    except orjson.JSONDecodeError:
        try:
            root = [orjson.loads(line) for line in text.splitlines() if line.strip()]
        except orjson.JSONDecodeError:
            raise SourceRefused("unreadable_json", "The source is not valid JSON.") from None
    return Extracted(("\n".join(bounded(_lines("", root))),))


def _lines(path: str, value: object, depth: int = 0) -> Iterator[str]:
    if depth > MAX_DEPTH:
        raise SourceRefused("unreadable_json", "The JSON is nested too deeply.")
    named = isinstance(value, dict)
    parts: list[object] = value if isinstance(value, list) else [value]
    members = list(value.items()) if isinstance(value, dict) else [("", part) for part in parts]
    plain = [(name, member) for name, member in members if not isinstance(member, dict | list)]
    words = [(name, member if isinstance(member, str) else orjson.dumps(member).decode()) for name, member in plain]
    if line := ("; " if named else ", ").join(f"{name}: {word}" if named else word for name, word in words):
        yield f"{path} - {line}" if path else line
    for name, member in members:
        if isinstance(member, dict | list):
            yield from _lines(f"{path} {name}".strip(), member, depth + 1)
