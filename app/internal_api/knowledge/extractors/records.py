"""CSV and JSON: rows and members become lines that read like sentences, to be found and cited."""

import csv
import io
from collections.abc import Iterator

import orjson

from app.internal_api.knowledge.documents import SourceRefused
from app.internal_api.knowledge.extractors.extracted import MAX_DEPTH, Budget, Extracted

SAMPLE = 16_384
DELIMITERS = ",;\t|"


def extract_csv(text: str) -> Extracted:
    """Each row as `Header: value; Header: value`, one a line."""
    budget = Budget()
    try:
        rows = csv.reader(io.StringIO(text), delimiter=_delimiter(text), strict=False)
        header = [cell.strip() for cell in next(rows, [])]
        lines = [budget.spend(line) for row in rows if (line := _row(header, row))]
    except csv.Error:  # a field longer than the reader takes: then it is no table, but text all the same
        return Extracted((text,))
    # A table of one line has no rows; its header is all that it says.
    return Extracted(("\n".join(lines) or ", ".join(header),))


def _delimiter(text: str) -> str:
    first = text[:SAMPLE].lstrip("\n").partition("\n")[0]
    return max(DELIMITERS, key=first.count)


def _row(header: list[str], row: list[str]) -> str:
    cells = []
    for index, cell in enumerate(row):
        value = " ".join(cell.split())
        name = header[index] if index < len(header) else ""
        if value:
            cells.append(f"{name}: {value}" if name else value)
    return "; ".join(cells)


def extract_json(text: str) -> Extracted:
    """Each object of plain members as one line, with the path that leads to it; JSON Lines as well.

    Raises:
        SourceRefused: `unreadable_json`.

    """
    budget = Budget()
    lines = [budget.spend(line) for line in _lines(_parsed(text))]
    return Extracted(("\n".join(lines),))


def _parsed(text: str) -> object:
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        pass
    try:
        return [orjson.loads(line) for line in text.splitlines() if line.strip()]
    except orjson.JSONDecodeError:
        raise SourceRefused("unreadable_json", "The source is not valid JSON.") from None


def _lines(root: object) -> Iterator[str]:
    waiting: list[tuple[str, int, object]] = [("", 0, root)]  # a stack, since nesting is the stranger's choice
    while waiting:
        path, depth, value = waiting.pop()
        if depth > MAX_DEPTH:
            raise SourceRefused("unreadable_json", "The JSON is nested too deeply.")
        if isinstance(value, dict):
            plain = {key: member for key, member in value.items() if _is_scalar(member)}
            yield from _line(path, "; ".join(f"{key}: {_word(member)}" for key, member in plain.items()))
            deeper = [(_join(path, key), member) for key, member in value.items() if key not in plain]
        elif isinstance(value, list):
            plain_items = [member for member in value if _is_scalar(member)]
            yield from _line(path, ", ".join(_word(member) for member in plain_items))
            deeper = [(path, member) for member in value if not _is_scalar(member)]
        else:
            yield from _line(path, _word(value))
            deeper = []
        waiting += [(name, depth + 1, member) for name, member in reversed(deeper)]


def _line(path: str, said: str) -> Iterator[str]:
    if said:
        yield f"{path} - {said}" if path else said


def _join(path: str, key: str) -> str:
    return f"{path} {key}" if path else key


def _is_scalar(value: object) -> bool:
    return not isinstance(value, (dict, list))


def _word(value: object) -> str:
    return value if isinstance(value, str) else orjson.dumps(value).decode()
