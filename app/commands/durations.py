"""Durations at the command line: `90d`, `24h`, `30m`."""

import re
from datetime import timedelta
from typing import Any

import click

FORM = re.compile(r"([0-9]{1,7})([dhm])")
UNITS = {"d": timedelta(days=1), "h": timedelta(hours=1), "m": timedelta(minutes=1)}
LONGEST = timedelta(days=3650)


def parse_duration(text: str) -> timedelta:
    """The duration that `text` writes.

    Raises:
        ValueError: it is not a whole number followed by d, h or m, or it is longer than ten years.

    """
    written = FORM.fullmatch(text)
    duration = int(written[1]) * UNITS[written[2]] if written else None
    if duration is None or duration > LONGEST:
        raise ValueError(f"write a duration such as 90d, 24h or 30m, up to {LONGEST.days}d")
    return duration


class Duration(click.ParamType[timedelta]):
    """An option that takes a duration."""

    name = "duration"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> timedelta:
        if isinstance(value, timedelta):
            return value
        try:
            return parse_duration(value)
        except ValueError as mistake:
            self.fail(f"{value!r}: {mistake}.", param, ctx)
