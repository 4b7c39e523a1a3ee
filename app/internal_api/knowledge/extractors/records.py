"""CSV and JSON: rows and members become lines that read like sentences, to be found and cited."""

import csv
import io
from collections.abc import Iterator
from itertools import zip_longest

import orjson

from app.internal_api.knowledge.documents import SourceRefused
from app.internal_api.knowledge.extractors.extracted import Budget, Extracted

SAMPLE = 16_384
DELIMITERS = ",;\t|"
MAX_DEPTH = 200  # far beyond documents, far below the recursion limit


def extract_csv(text: str) -> Extracted:
    """Each row as `Header: value; Header: value`, one a line."""
    budget, lines = Budget(), []
    first = text[:SAMPLE].lstrip("\n").partition("\n")[0]
    try:
        rows = csv.reader(io.StringIO(text), delimiter=max(DELIMITERS, key=first.count), strict=False)
        header = [cell.strip() for cell in next(rows, [])]
        for row in rows:
            cells = [
                (name, " ".join(cell.split())) for name, cell in zip_longest(header[: len(row)], row, fillvalue="")
            ]
            if line := "; ".join(f"{name}: {cell}" if name else cell for name, cell in cells if cell):
                lines.append(budget.spend(line))
    except csv.Error:  # a field longer than the reader takes: then it is no table, but text all the same
        return Extracted((text,))
    # A table of one line has no rows; its header is all that it says.
    return Extracted(("\n".join(lines) or ", ".join(header),))


def extract_json(text: str) -> Extracted:
    """Each object of plain members as one line, with the path that leads to it; JSON Lines as well.

    Raises:
        SourceRefused: `unreadable_json`.

    """
    try:
        root = orjson.loads(text)
    except orjson.JSONDecodeError:
        try:
            root = [orjson.loads(line) for line in text.splitlines() if line.strip()]
        except orjson.JSONDecodeError:
            raise SourceRefused("unreadable_json", "The source is not valid JSON.") from None
    budget = Budget()
    return Extracted(("\n".join(budget.spend(line) for line in _lines("", root)),))


def _lines(path: str, value: object, depth: int = 0) -> Iterator[str]:
    if depth > MAX_DEPTH:
        raise SourceRefused("unreadable_json", "The JSON is nested too deeply.")
    members = list(value.items()) if isinstance(value, dict) else []
    items = value if isinstance(value, list) else [] if isinstance(value, dict) else [value]
    members += [("", item) for item in items]
    plain = [(name, member) for name, member in members if not isinstance(member, dict | list)]
    words = [member if isinstance(member, str) else orjson.dumps(member).decode() for _, member in plain]
    said = [
        f"{name}: {word}" if isinstance(value, dict) else word for (name, _), word in zip(plain, words, strict=True)
    ]
    if line := ("; " if isinstance(value, dict) else ", ").join(said):
        yield f"{path} - {line}" if path else line
    for name, member in members:
        if isinstance(member, dict | list):
            yield from _lines(f"{path} {name}".strip(), member, depth + 1)
