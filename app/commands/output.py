"""How commands answer: a table for people, JSON for programs."""

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import click


def print_json(value: Any) -> None:
    """One JSON document on stdout, with times as on the wire."""
    click.echo(json.dumps(value, indent=2, ensure_ascii=False, default=iso))


def answer(value: Any, text: str, *, as_json: bool) -> None:
    """What a command did: `value` for programs, or `text` for people."""
    if as_json:
        print_json(value)
    else:
        click.echo(text)


def print_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Columns as wide as their widest cell."""
    widths = [max(map(len, column)) for column in zip(head, *rows, strict=True)]
    for row in (head, *rows):
        click.echo("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())


def iso(moment: datetime) -> str:
    """ISO 8601 in UTC with milliseconds."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def day(moment: datetime | None, otherwise: str) -> str:
    """The minute, which is exact enough for a table."""
    return otherwise if moment is None else moment.astimezone(UTC).strftime("%Y-%m-%d %H:%MZ")
