"""The charts of the PDF report as data: whom they show, and the labels, shares and places that are drawn.

Every bar has its count beside it, and no meaning is carried by colour alone.
"""

from collections.abc import Iterator, Sequence

from mcp_server.toolsets.panels._exports.pdf_blocks import Block, note
from mcp_server.toolsets.panels._exports.phrases import NONE, name_of, points_of, ranges, shown, span
from mcp_server.toolsets.panels._exports.plain import shortened
from mcp_server.toolsets.panels._percent import percent
from mcp_server.toolsets.panels._results import Interval, QuestionResult, ScaleFacts, Summary, Theme

NAME_AT_MOST = 90
OPTION_AT_MOST = 200
STACKED_AT_MOST = 8
"""More options cannot be distinguished by colour; then the matrix alone shows them."""

COLUMNS_AT_MOST = 5
TICKS_AT_MOST = 12
THEMES_AT_LEAST, THEMES_AT_MOST = 6, 12
"""Themes that are shown with charts and quotes. Those of one persona each only fill up what several left."""

NOTHING = "no usable answers"
SILENT = "There are no usable answers to draw a chart of."
HISTOGRAMS = (
    "Distribution: how many gave each answer. The height of a bar is its share of the group, the same in every chart."
)
MEANS = "Comparison: mean of each group on the whole scale. Whiskers are 95 % intervals."
STACKS = (
    "Distribution: each bar is a group, divided by its answers. Letters name the option, figures count the answers."
)
AXIS = "Bars reach from 0 to 100 % of a group's usable answers."
SHARES = f"Comparison: how many of each group chose each option, and their share. {AXIS} Whiskers are 95 % intervals."
THEMES = f"Themes: how many of each group speak of each, and their share. {AXIS}"


def charts(result: QuestionResult) -> Iterator[Block]:
    """The charts for the question's type."""
    rows = side_by_side(result)
    if not result.overall.n:
        yield note(SILENT)
    elif result.type == "scale":
        yield _histograms(result, rows)
        if any(row.scale for row in rows):
            yield _means(result, rows)
    elif result.type == "qualitative":
        lines = [(theme.label, [_of_theme(theme, row) for row in rows]) for theme in shown_themes(result)[0]]
        yield from _matrix(THEMES, rows, lines)
    else:
        if result.type == "categorical" and 0 < len(result.overall.counts) <= STACKED_AT_MOST:
            yield _stacks(result, rows)
        options = dict.fromkeys(count.value for row in rows for count in row.counts)
        lines = [(option, [_of_option(option, row) for row in rows]) for option in options]
        yield from _matrix(SHARES, rows, lines)


def side_by_side(result: QuestionResult) -> list[Summary]:
    """Whom charts show: everyone and each group; of a single group that alone, which is everyone."""
    return result.groups if len(result.groups) == 1 else [result.overall, *result.groups]


def named(row: Summary) -> Block:
    """What every row of a chart has."""
    return {"name": shortened(name_of(row), NAME_AT_MOST), "strong": row.group is None, "n": row.n}


def shown_themes(result: QuestionResult) -> tuple[list[Theme], list[Theme]]:
    """The themes that are shown, and the rest, which is only named: a list of single voices hides what is common."""
    several = sum(theme.count > 1 for theme in result.themes)
    end = max(THEMES_AT_LEAST, min(THEMES_AT_MOST, several))
    return result.themes[:end], result.themes[end:]


def part_of_scale(result: QuestionResult, row: Summary) -> float | None:
    """Where the mean stands on the scale, or the share of what most chose; 0 to 1."""
    if row.scale is not None and result.scale_range and result.scale_range[0] < result.scale_range[-1]:
        return _placed(row.scale.mean, float(result.scale_range[0]), float(result.scale_range[-1]))
    return max((count.share for count in row.counts), default=None) if row.n else None


def _histograms(result: QuestionResult, rows: Sequence[Summary]) -> Block:
    points = points_of(result)
    found = [ranges(points, row.counts) for row in rows]
    tops = [count / row.n for row, counts in zip(rows, found, strict=True) if row.n for _, count in counts]
    values = [", ".join(f"{label}: {count}" for label, count in counts if count) or NOTHING for counts in found]
    return {
        "kind": "histograms",
        "caption": HISTOGRAMS,
        "alt": _described(rows, values),
        "across": {1: 1, 2: 2, 4: 2}.get(len(rows), 3),
        "top": max(tops, default=0) or 1,
        "labels": [label for label, _ in found[0]],
        "rows": [
            {**named(row), "counts": [count for _, count in counts]} for row, counts in zip(rows, found, strict=True)
        ],
    }


def _means(result: QuestionResult, rows: Sequence[Summary]) -> Block:
    low, high = _scale(result, [row.scale for row in rows if row.scale])
    values = [f"{shown(row.scale.mean)} ({span(row.scale.interval)})" if row.scale else NOTHING for row in rows]
    return {
        "kind": "means",
        "caption": MEANS,
        "alt": f"Scale {low:g} to {high:g}. {_described(rows, values)}",
        "ticks": [{"at": _placed(tick, low, high), "label": str(tick)} for tick in ticks(low, high)],
        "rows": [
            {
                **named(row),
                "value": value,
                "mean": _placed(row.scale.mean, low, high) if row.scale else None,
                **_whisker(row.scale.interval if row.scale else None, low, high),
            }
            for row, value in zip(rows, values, strict=True)
        ],
    }


def _stacks(result: QuestionResult, rows: Sequence[Summary]) -> Block:
    options = [count.value for count in result.overall.counts]
    values = [", ".join(f"{count.value}: {count.count}" for count in row.counts) if row.n else NOTHING for row in rows]
    return {
        "kind": "stacks",
        "caption": STACKS,
        "alt": _described(rows, values),
        "options": [shortened(option, OPTION_AT_MOST) for option in options],
        "rows": [{**named(row), "counts": [_count_of(option, row) for option in options]} for row in rows],
    }


def _matrix(caption: str, rows: Sequence[Summary], lines: Sequence[tuple[str, list[Block]]]) -> Iterator[Block]:
    """As many matrices as it takes columns: each has the same rows."""
    for start in range(0, len(rows) if lines else 0, COLUMNS_AT_MOST):
        columns = slice(start, start + COLUMNS_AT_MOST)
        yield {
            "kind": "matrix",
            "caption": f"{caption} (continued)" if start else caption,
            "alt": caption,  # its cells are read out: they are those of a table
            "heads": [named(row) for row in rows[columns]],
            "rows": [{"label": shortened(label, OPTION_AT_MOST), "cells": cells[columns]} for label, cells in lines],
        }


def _count_of(option: str, row: Summary) -> int:
    return next((count.count for count in row.counts if count.value == option), 0)


def _of_option(option: str, row: Summary) -> Block:
    interval = next((count.interval for count in row.counts if count.value == option), None)
    return _cell(_count_of(option, row), row.n, interval)


def _of_theme(theme: Theme, row: Summary) -> Block:
    if row.group is None:
        return _cell(theme.count, row.n, None)
    return next(
        (_cell(own.count, own.n, None) for own in theme.by_group if own.group == row.group), _cell(0, row.n, None)
    )


def _cell(count: int, n: int, interval: Interval | None) -> Block:
    share = min(1.0, count / n) if n else 0.0
    value = f"{count} · {percent(share)}" if n else NONE
    return {"value": value, "share": share, **_whisker(interval if n else None, 0, 1)}


def _whisker(interval: Interval | None, low: float, high: float) -> dict[str, float | None]:
    if interval is None:
        return {"low": None, "high": None}
    return {"low": _placed(interval.low, low, high), "high": _placed(interval.high, low, high)}


def _placed(value: float, low: float, high: float) -> float:
    return (min(max(value, low), high) - low) / (high - low)


def _scale(result: QuestionResult, facts: Sequence[ScaleFacts]) -> tuple[float, float]:
    if result.scale_range and result.scale_range[0] < result.scale_range[-1]:
        return float(result.scale_range[0]), float(result.scale_range[-1])
    low, high = min(fact.lowest for fact in facts), max(fact.highest for fact in facts)
    return (low, high) if low < high else (low - 1, high + 1)


def ticks(low: float, high: float) -> list[int]:
    """Whole numbers from `low` to `high`: all of them, or about ten at equal distances, and both ends."""
    first, last = round(low), round(high)
    step = max(1, -(-(last - first) // (TICKS_AT_MOST - 2)))
    found = list(range(first, last + 1, step))
    return found if found[-1] == last else [*(tick for tick in found if last - tick >= step / 2), last]


def _described(rows: Sequence[Summary], values: Sequence[str]) -> str:
    """The chart in words, for readers of the screen."""
    return "; ".join(f"{name_of(row)}: {words}" for row, words in zip(rows, values, strict=True))
