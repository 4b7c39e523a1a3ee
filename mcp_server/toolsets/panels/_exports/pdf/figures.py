"""The table of figures of a question: a row for everyone and for each group."""

from collections.abc import Iterator

from mcp_server.toolsets.panels._exports.pdf.blocks import Block
from mcp_server.toolsets.panels._exports.pdf.shares import foremost, of_theme
from mcp_server.toolsets.panels._exports.pdf.sheet import Sheet
from mcp_server.toolsets.panels._exports.pdf.tables import Column, Row, table
from mcp_server.toolsets.panels._exports.phrases import NONE, name_of, shown, span
from mcp_server.toolsets.panels._percent import percent
from mcp_server.toolsets.panels._results import Count, QuestionResult, Summary

COUNTED = (Column("Group", 48), Column("n", 11, "R"), Column("Failed", 14, "R"), Column("Unclear", 16, "R"))
SCALE = (
    Column("Mean", 15, "R"),
    Column("Median", 16, "R"),
    Column("SD", 13, "R"),
    Column("95 % interval", 32, "R"),
    Column("Range", 22, "R"),
)
SHARES = (Column("Most chosen", 52), Column("Share", 15, "R"), Column("95 % interval", 31, "R"))
MOST_LEVEL = 3
"""Themes named where several are level: in a small group nearly all are."""

THEMES = (Column("Foremost theme", 62), Column("Share", 15, "R"), Column("Sentiment", 21, "R"))


def figures(sheet: Sheet, result: QuestionResult) -> Iterator[Block]:
    own = {"scale": SCALE, "qualitative": THEMES}.get(result.type, SHARES)
    rows = [
        Row([name_of(row), str(row.n), str(row.failed), str(row.unclear), *_figures(result, row)], row.group is None)
        for row in (result.overall, *result.groups)
    ]
    yield from table(sheet, [*COUNTED, *own], rows)


def _figures(result: QuestionResult, row: Summary) -> list[str]:
    if result.type == "scale":
        return _of_scale(row)
    if result.type == "qualitative":
        return [*_of_theme(result, row), shown(row.sentiment)]
    return _of_option(row)


def _of_scale(row: Summary) -> list[str]:
    if row.scale is None:
        return [NONE] * len(SCALE)
    facts = row.scale
    ends = f"{facts.lowest:g} to {facts.highest:g}"
    return [shown(facts.mean), shown(facts.median), shown(facts.sd), span(facts.interval), ends]


def _of_option(row: Summary) -> list[str]:
    first = foremost(row)
    if not first or not row.n:
        return [NONE, NONE, NONE]
    return [" / ".join([count.value for count in first][:MOST_LEVEL]), *_share(first[0])]


def _share(count: Count) -> list[str]:
    return [percent(count.share), span(count.interval, share=True)]


def _of_theme(result: QuestionResult, row: Summary) -> list[str]:
    shares = {theme.label: of_theme(theme, row).share for theme in result.themes}
    most = max(shares.values(), default=0.0)
    if not most:
        return [NONE, NONE]
    return [" / ".join([label for label, share in shares.items() if share == most][:MOST_LEVEL]), percent(most)]
