"""The section of a question: its figures with what must be said beside them, its charts, and what was said."""

from collections.abc import Iterator

from mcp_server.toolsets.panels._exports.pdf import histograms, look, means, shares, stacks
from mcp_server.toolsets.panels._exports.pdf.blocks import Block, callout, heading, paragraph
from mcp_server.toolsets.panels._exports.pdf.breaking import cut
from mcp_server.toolsets.panels._exports.pdf.figures import figures
from mcp_server.toolsets.panels._exports.pdf.sheet import Sheet
from mcp_server.toolsets.panels._exports.pdf.voices import voices
from mcp_server.toolsets.panels._exports.pdf.words import joined, plural
from mcp_server.toolsets.panels._exports.phrases import type_of
from mcp_server.toolsets.panels._exports.plain import when
from mcp_server.toolsets.panels._report import Section
from mcp_server.toolsets.panels._results import QuestionResult

HEADING_AT_MOST = 260
ROOM = 140.0
"""For its figures and its first chart."""
NO_CHART = "There are no usable answers to draw a chart of."
WHOLE = "The whole question"


def question(sheet: Sheet, number: int, section: Section) -> Iterator[Block]:
    """What must be said beside the figures stands right below them."""
    result = section.result
    yield from _heading(sheet, number, result)
    yield from figures(sheet, result)
    yield from _caveats(sheet, section)
    yield from _charts(sheet, result)
    yield from voices(sheet, result)


def _heading(sheet: Sheet, number: int, result: QuestionResult) -> Iterator[Block]:
    text = " ".join(result.question.split())
    title = f"{number}. {cut(text, HEADING_AT_MOST)}"
    yield heading(sheet, title, room=ROOM)
    yield from paragraph(sheet, joined(_facts(result)), look.NOTE, gap=0, keep=True)
    if len(text) > HEADING_AT_MOST:
        yield from paragraph(sheet, WHOLE, look.SMALL.but(face="B"), gap=3, keep=True)
        yield from paragraph(sheet, result.question, look.SMALL, gap=0.5)


def _facts(result: QuestionResult) -> Iterator[str]:
    whole = result.overall
    yield type_of(result)
    yield f"{plural(whole.members, 'persona')} asked"
    yield f"n = {whole.n}"
    yield f"{whole.failed} failed"
    if whole.pending:
        yield f"{whole.pending} still answering"
    if whole.unclear:
        yield f"{whole.unclear} unclear"
    if result.asked_at:
        yield f"asked on {when(result.asked_at)}"
    if result.engine:
        yield f"engine: {result.engine}"


def _charts(sheet: Sheet, result: QuestionResult) -> Iterator[Block]:
    if not result.overall.n:
        yield from paragraph(sheet, NO_CHART, look.NOTE, gap=4)
    elif result.type == "scale":
        yield from histograms.distribution(sheet, result)
        yield from means.comparison(sheet, result)
    elif result.type == "qualitative":
        yield from shares.themes(sheet, result)
    else:
        yield from (stacks if result.type == "categorical" else shares).distribution(sheet, result)
        yield from shares.comparison(sheet, result)


def _caveats(sheet: Sheet, section: Section) -> Iterator[Block]:
    told = [caveat.message for caveat in section.result.caveats]
    if texts := list(dict.fromkeys([*told, *section.asked.notes])):
        yield from callout(sheet, texts)
