"""The report as a whole: its parts in order, and what the file says of itself."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from fpdf.prefs import ViewerPreferences

from mcp_server.toolsets.panels._exports.pdf.answers import answers
from mcp_server.toolsets.panels._exports.pdf.blocks import Block, flow
from mcp_server.toolsets.panels._exports.pdf.breaking import cut
from mcp_server.toolsets.panels._exports.pdf.cover import cover
from mcp_server.toolsets.panels._exports.pdf.method import method
from mcp_server.toolsets.panels._exports.pdf.question import question
from mcp_server.toolsets.panels._exports.pdf.reading import read_report
from mcp_server.toolsets.panels._exports.pdf.sheet import Sheet
from mcp_server.toolsets.panels._exports.pdf.summary import summary
from mcp_server.toolsets.panels._exports.plain import moment
from mcp_server.toolsets.panels._report import Report

CREATOR = "Minds gateway"
NAME_AT_MOST = 100
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
"""For a report that does not say when it was made: equal reports make equal files."""


def write_pdf(data: bytes, folder: Path) -> bytes:
    """The PDF of the report in `data`. Fonts are laid into `folder`. Equal reports make equal files."""
    report, fonts, chars = read_report(data, folder)
    with Sheet(fonts, chars, cut(" ".join(report.panel.split()), NAME_AT_MOST)) as sheet:
        _describe(sheet, report)
        flow(sheet, _blocks(sheet, report))
        return bytes(sheet.output())


def _describe(sheet: Sheet, report: Report) -> None:
    sheet.set_title(f"{report.panel}: panel report")
    sheet.set_subject("Answers of AI personas: figures, charts, themes and quotes")
    sheet.set_author(CREATOR)
    sheet.set_creator(CREATOR)
    sheet.set_lang("en")
    sheet.viewer_preferences = ViewerPreferences(display_doc_title=True)
    sheet.set_creation_date(moment(report.generated_at) or EPOCH)


def _blocks(sheet: Sheet, report: Report) -> Iterator[Block]:
    yield from cover(sheet, report)
    yield from summary(sheet, report)
    for number, section in enumerate(report.sections, 1):
        yield from question(sheet, number, section)
    yield from answers(sheet, report)
    yield from method(sheet, report)
