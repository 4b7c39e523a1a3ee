"""The first page's upper half: which panel this is, of whom it is made, and when."""

from collections.abc import Iterator

from mcp_server.toolsets.panels._exports.methods import PARTIAL, engines
from mcp_server.toolsets.panels._exports.pdf import look
from mcp_server.toolsets.panels._exports.pdf.blocks import Block, callout, lines_of, put_lines
from mcp_server.toolsets.panels._exports.pdf.breaking import cut
from mcp_server.toolsets.panels._exports.pdf.look import Style
from mcp_server.toolsets.panels._exports.pdf.sheet import Sheet
from mcp_server.toolsets.panels._exports.pdf.tables import Column, Row, table
from mcp_server.toolsets.panels._exports.pdf.words import joined, plural
from mcp_server.toolsets.panels._exports.plain import when
from mcp_server.toolsets.panels._report import Report

NAME_AT_MOST = 160
KICKER = Style(9, "B", (190, 222, 236))
FACTS = Style(9.5, "", (226, 240, 247))


def cover(sheet: Sheet, report: Report) -> Iterator[Block]:
    yield _band(sheet, report)
    if report.partial:
        yield from callout(sheet, [PARTIAL])
    columns = [Column("Group", 120, bold=True), Column("Personas today", 26, "R"), Column("Answers here", 26, "R")]
    if rows := list(_groups(report)):
        yield from table(sheet, columns, rows, gap=6)


def _band(sheet: Sheet, report: Report) -> Block:
    """It reaches the edges of the page."""
    lines = lines_of(sheet, cut(" ".join(report.panel.split()), NAME_AT_MOST), look.WIDTH, look.TITLE)
    facts = lines_of(sheet, _facts(report), look.WIDTH, FACTS)
    height = 22 + len(lines) * look.TITLE.line + len(facts) * FACTS.line

    def draw(page: Sheet, y: float) -> None:
        page.box(0, 0, look.PAGE_WIDTH, y + height - 6, look.ACCENT)
        page.put(look.LEFT, y - 4, "PANEL REPORT", KICKER)
        put_lines(page, lines, look.LEFT, y + 3, look.WIDTH, look.TITLE)
        put_lines(page, facts, look.LEFT, y + 7 + len(lines) * look.TITLE.line, look.WIDTH, FACTS)

    return Block(height, draw, tag="H1", bookmark=(0, report.panel))


def _facts(report: Report) -> str:
    personas = {reply.persona_id or (reply.group, reply.persona) for s in report.sections for reply in s.asked.replies}
    answers = sum(section.result.overall.n for section in report.sections)
    parts = [
        plural(len(report.sections), "question"),
        plural(len(report.groups), "group"),
        f"{plural(len(personas), 'AI persona')} asked",
        plural(answers, "usable answer"),
        when(report.generated_at),
        *(f"engine: {engine}" for engine in engines(report)),
    ]
    return joined(parts)


def _groups(report: Report) -> Iterator[Row]:
    """The panel's groups of today, and those that were asked and are no longer there."""
    today = {group.name: len(group.members) for group in report.groups}
    asked = [name for section in report.sections for name in section.asked.groups]
    for name in dict.fromkeys([*today, *asked]):
        given = sum(s.n for section in report.sections for s in section.result.groups if s.group == name)
        yield Row([name, str(today[name]) if name in today else "no longer in the panel", str(given)])
