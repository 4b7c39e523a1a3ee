"""The executive summary: what each question came to, for everyone and for each group."""

from collections.abc import Iterator

from mcp_server.toolsets.panels._exports.pdf import look
from mcp_server.toolsets.panels._exports.pdf.blocks import Block, heading, paragraph
from mcp_server.toolsets.panels._exports.pdf.breaking import cut
from mcp_server.toolsets.panels._exports.pdf.charts import colour_of, named, one_line, side_by_side
from mcp_server.toolsets.panels._exports.pdf.shares import foremost
from mcp_server.toolsets.panels._exports.pdf.sheet import Sheet
from mcp_server.toolsets.panels._exports.pdf.words import NOTHING, headline, joined, plural
from mcp_server.toolsets.panels._exports.phrases import name_of, type_of
from mcp_server.toolsets.panels._report import Report
from mcp_server.toolsets.panels._results import QuestionResult, Summary

QUESTION_AT_MOST = 220
ROW = 4.6
NAMES, VALUES, BAR = 52.0, 66.0, 32.0
NO_QUESTIONS = "Nothing was asked yet."


def summary(sheet: Sheet, report: Report) -> Iterator[Block]:
    yield heading(sheet, "Summary", level=0)
    if not report.sections:
        yield from paragraph(sheet, NO_QUESTIONS)
    for number, section in enumerate(report.sections, 1):
        yield from _question(sheet, number, section.result)


def _question(sheet: Sheet, number: int, result: QuestionResult) -> Iterator[Block]:
    text = cut(" ".join(result.question.split()), QUESTION_AT_MOST)
    yield from paragraph(sheet, text, look.BODY.but(face="B"), gap=4.5, keep=True, mark=f"{number}.")
    yield from paragraph(sheet, _overall(result), look.NOTE, gap=0.5, keep=True)
    rows = side_by_side(result)
    for n, row in enumerate(rows):
        yield _row(sheet, result, row, keep=n == 0 and len(rows) > 1)
    for text in (result.disagreements or result.agreements)[:1]:
        yield from paragraph(sheet, cut(text, QUESTION_AT_MOST), look.SMALL, gap=0.8, mark="→")


def _overall(result: QuestionResult) -> str:
    whole = result.overall
    missing = [
        f"{count:,} {word}"
        for count, word in ((whole.failed, "failed"), (whole.pending, "pending"), (whole.unclear, "unclear"))
        if count
    ]
    return joined([type_of(result), plural(whole.n, "usable answer"), *missing])


def _row(sheet: Sheet, result: QuestionResult, row: Summary, *, keep: bool) -> Block:
    style = look.SMALL.but(face="B" if row.group is None else "")
    told = headline(row)
    name, value = named(sheet, name_of(row), NAMES, style), one_line(sheet, told, VALUES, style)
    filled = _filled(result, row)

    def draw(page: Sheet, y: float) -> None:
        page.put(look.LEFT, y, name, style)
        page.put(look.LEFT + NAMES + 3, y, value, style if told != NOTHING else look.NOTE)
        left = look.LEFT + NAMES + VALUES + 6
        if filled is not None:
            page.box(left, y + 1, BAR, 2, look.PALE)
            page.box(left, y + 1, BAR * filled, 2, colour_of(row))
        page.put(left + BAR, y, f"n = {row.n}", look.TINY, look.LEFT + look.WIDTH - left - BAR, "R")

    return Block(ROW, draw, gap=1 if keep else 0, keep=keep)


def _filled(result: QuestionResult, row: Summary) -> float | None:
    """Where the mean stands on the scale, or the share of the first option; 0 to 1."""
    if row.scale is not None and result.scale_range and result.scale_range[0] < result.scale_range[-1]:
        low, high = result.scale_range[0], result.scale_range[-1]
        return min(1.0, max(0.0, (row.scale.mean - low) / (high - low)))
    return next((count.share for count in foremost(row)), None) if row.n else None
