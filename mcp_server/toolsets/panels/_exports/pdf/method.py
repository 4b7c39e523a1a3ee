"""The last page: how the figures came about, and what they can and cannot carry."""

from collections.abc import Iterator

from mcp_server.toolsets.panels._exports.methods import caveats, engines, methods
from mcp_server.toolsets.panels._exports.pdf import look
from mcp_server.toolsets.panels._exports.pdf.blocks import Block, heading, paragraph
from mcp_server.toolsets.panels._exports.pdf.breaking import cut
from mcp_server.toolsets.panels._exports.pdf.sheet import Sheet
from mcp_server.toolsets.panels._exports.pdf.tables import Column, Row, table
from mcp_server.toolsets.panels._exports.pdf.words import plural
from mcp_server.toolsets.panels._exports.plain import when
from mcp_server.toolsets.panels._report import Report

TITLE = "Method and caveats"
CAVEAT_AT_MOST = 300
MORE = "There are more, beside the questions that they concern."

DIRECTIONAL = (
    "The results are synthetic and directional. They show which views are plausible and how they are argued, not how "
    "common a view is among people. With fewer than 10 answers in a group, its figures are no more than a hint."
)
FROZEN = (
    "Membership is frozen: who belonged to a group was recorded when a question was asked. Personas that joined or "
    "left later change no figure here."
)
ONCE = "A persona in several groups counts in each of them, and once in Everyone."
WHOLE = (
    "Characters that the fonts here lack, and long messages, are whole in the other formats of this export. Quotes are "
    "exact parts of answers."
)


def method(sheet: Sheet, report: Report) -> Iterator[Block]:
    """On one page: what does not fit is left to the questions' own sections."""
    used = 0.0
    for block in _all(sheet, report):
        used += block.gap + block.height
        if used > look.ROOM - 2 * look.NOTE.line:
            yield from paragraph(sheet, MORE, look.NOTE)
            return
        yield block


def _all(sheet: Sheet, report: Report) -> Iterator[Block]:
    yield heading(sheet, TITLE, level=0, room=look.ROOM)
    told = [*_when(report), ("Directional", DIRECTIONAL), *methods(report), ("Groups", f"{FROZEN} {ONCE}")]
    rows = [Row(told_of) for told_of in (*told, ("What failed", _failed(report)), ("What is shown", WHOLE))]
    yield from table(sheet, [Column("About", 36, bold=True), Column("What to know", 138)], rows)
    if beware := [Row([where, cut(text, CAVEAT_AT_MOST)]) for where, text in caveats(report)]:
        yield from table(sheet, [Column("Concerns", 36, bold=True), Column("Caveat", 138)], beware, gap=6)


def _when(report: Report) -> Iterator[tuple[str, str]]:
    yield "Made", f"{when(report.generated_at)}, from the answers that were stored by then."
    if asked := sorted({when(section.asked.asked_at) for section in report.sections if section.asked.asked_at}):
        yield "Asked", asked[0] if len(asked) == 1 else f"{asked[0]} to {asked[-1]}"
    if wrote := engines(report):
        yield "Answers written by", ", ".join(wrote)


def _failed(report: Report) -> str:
    """Question by question."""
    failed = [(n, s.result.overall.failed) for n, s in enumerate(report.sections, 1) if s.result.overall.failed]
    if not failed:
        return "No answer failed."
    told = ", ".join(f"question {number}: {count}" for number, count in failed)
    total = sum(count for _, count in failed)
    return f"{plural(total, 'answer')} failed and {'is' if total == 1 else 'are'} in no figure ({told})."
