"""What a call's arguments were like: their names, kinds and sizes. Values may hold anything, and are not told. Pure."""

from collections.abc import Mapping
from itertools import islice
from typing import Any

MAX_FIELDS = 12
MAX_NAME = 40


def summary_of(arguments: Mapping[str, Any] | None) -> str | None:
    """`{"name": "Ada", "limit": 5}` is `name=text:3 limit=number`; None where there are no arguments."""
    if not arguments:
        return None
    shown = [f"{str(name)[:MAX_NAME]}={_kind(value)}" for name, value in islice(arguments.items(), MAX_FIELDS)]
    if len(arguments) > MAX_FIELDS:
        shown.append(f"and {len(arguments) - MAX_FIELDS} more")
    return " ".join(shown)


def _kind(value: Any) -> str:
    if isinstance(value, str):
        return f"text:{len(value)}"
    if value is None or isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return "number"
    return f"{'object' if isinstance(value, Mapping) else 'list'}:{len(value)}"
