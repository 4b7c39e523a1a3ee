"""Charts of shares: how many chose each option, and how many speak of each theme."""

from collections.abc import Iterator, Sequence

from mcp_server.toolsets.panels._exports.pdf.blocks import Block
from mcp_server.toolsets.panels._exports.pdf.charts import side_by_side
from mcp_server.toolsets.panels._exports.pdf.matrix import Cell, Head, Line, matrix
from mcp_server.toolsets.panels._exports.pdf.sheet import Sheet
from mcp_server.toolsets.panels._exports.phrases import name_of
from mcp_server.toolsets.panels._results import Count, QuestionResult, Summary, Theme

OF_EVERYONE = "Distribution: how many of everyone chose each option, and their share. Several options may be chosen."
AXIS = "Bars reach from 0 to 100 % of a group's usable answers."
COMPARISON = (
    f"Comparison: how many of each group chose each option, and their share. {AXIS} Whiskers are 95 % intervals."
)
SEVERAL_AT_MOST, AT_LEAST = 12, 6
"""Themes that are shown with their charts and quotes. Those of one persona each only fill up what several left."""

THEMES = f"Themes: how many of each group speak of each, and their share. {AXIS}"


def distribution(sheet: Sheet, result: QuestionResult) -> Iterator[Block]:
    """Of everyone."""
    yield from _options(sheet, OF_EVERYONE, [result.overall])


def comparison(sheet: Sheet, result: QuestionResult) -> Iterator[Block]:
    """Of everyone and each group."""
    yield from _options(sheet, COMPARISON, side_by_side(result))


def themes(sheet: Sheet, result: QuestionResult) -> Iterator[Block]:
    rows = side_by_side(result)
    shown, _ = shown_themes(result)
    lines = [Line(theme.label, [of_theme(theme, row) for row in rows]) for theme in shown]
    yield from matrix(sheet, THEMES, _heads(rows), lines)


def shown_themes(result: QuestionResult) -> tuple[list[Theme], list[Theme]]:
    """The themes that are shown, and the rest, which is only named: a list of single voices hides what is common."""
    several = sum(theme.count > 1 for theme in result.themes)
    end = max(AT_LEAST, min(SEVERAL_AT_MOST, several))
    return result.themes[:end], result.themes[end:]


def _options(sheet: Sheet, caption: str, rows: Sequence[Summary]) -> Iterator[Block]:
    values = dict.fromkeys(count.value for row in rows for count in row.counts)
    lines = [Line(value, [_of_option(value, row) for row in rows]) for value in values]
    yield from matrix(sheet, caption, _heads(rows), lines)


def _heads(rows: Sequence[Summary]) -> list[Head]:
    return [Head(name_of(row), row.n, whole=row.group is None) for row in rows]


def _of_option(value: str, row: Summary) -> Cell:
    found = (Cell(count.count, row.n, count.interval) for count in row.counts if count.value == value)
    return next(found, Cell(0, row.n))


def foremost(row: Summary) -> list[Count]:
    """What most of a group chose: one option, several that are level, or nothing."""
    most = max((count.count for count in row.counts), default=0)
    return [count for count in row.counts if count.count == most > 0]


def of_theme(theme: Theme, row: Summary) -> Cell:
    """How many of a group, or of everyone, speak of a theme."""
    if row.group is None:
        return Cell(theme.count, row.n)
    return next((Cell(own.count, own.n) for own in theme.by_group if own.group == row.group), Cell(0, row.n))
