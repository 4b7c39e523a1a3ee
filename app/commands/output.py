"""How commands answer: a table for people, JSON for programs."""

import json
import math
import shutil
import sys
import textwrap
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from itertools import zip_longest
from typing import Any

import click

GAP = "  "
json_option = click.option("--json", "as_json", is_flag=True, help="Print the outcome as JSON.")


def print_json(value: Any) -> None:
    """One JSON document on stdout, with times as on the wire."""
    click.echo(json.dumps(value, indent=2, ensure_ascii=False, default=iso))


def answer(value: Any, text: str, *, as_json: bool) -> None:
    """What a command did: `value` for programs, or `text` for people."""
    if as_json:
        print_json(value)
    else:
        click.echo(text)


def as_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table that fits the terminal; what no person reads has one line a row, however long."""
    columns = shutil.get_terminal_size().columns if sys.stdout.isatty() else math.inf
    return "\n".join(table_lines([head, *rows], columns))


def table_lines(table: Sequence[Sequence[str]], room: float) -> Iterator[str]:
    """Columns as wide as their widest cell. Where that is too wide, the widest give way, and their cells are wrapped
    between words: half an id cannot be copied.
    """
    columns = list(zip(*table, strict=True))
    widths = [max(map(len, column)) for column in columns]
    least = [max(map(len, " ".join(column).split())) for column in columns]
    while sum(widths) + len(GAP) * (len(widths) - 1) > room and widths != least:
        widest = max(range(len(widths)), key=lambda column: (widths[column] > least[column], widths[column]))
        widths[widest] -= 1
    for row in table:
        cells = [
            [cell] if len(cell) <= width else textwrap.wrap(cell, width, break_long_words=False, break_on_hyphens=False)
            for cell, width in zip(row, widths, strict=True)
        ]
        for parts in zip_longest(*cells, fillvalue=""):
            yield GAP.join(part.ljust(width) for part, width in zip(parts, widths, strict=True)).rstrip()


def iso(moment: datetime) -> str:
    """ISO 8601 in UTC with milliseconds."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def day(moment: datetime | None, otherwise: str) -> str:
    """The minute, which is exact enough for a table."""
    return otherwise if moment is None else moment.astimezone(UTC).strftime("%Y-%m-%d %H:%MZ")
