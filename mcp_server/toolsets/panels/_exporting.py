"""An export from the panel to the link: every answer collected, written in one format, and handed out."""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from urllib.parse import urlsplit

from mcp_server.errors import NotReady
from mcp_server.toolkit.answers import Enclosure
from mcp_server.toolkit.files import Files
from mcp_server.toolsets.panels._aggregation.aggregate import aggregate
from mcp_server.toolsets.panels._exports.render import Document, Format, render
from mcp_server.toolsets.panels._messages import ASK_FIRST, exported
from mcp_server.toolsets.panels._minds.studies import Panel
from mcp_server.toolsets.panels._results import Report, Section
from mcp_server.toolsets.panels._study import AskedQuestion
from mcp_server.toolsets.panels.models import ExportedPanel

MOST_TEXT = 60_000
"""Bytes of a text export that goes along with the link; beyond it, a host would cut the result."""

MOST_LOCAL = 1_000_000
"""Bytes of any export that goes along where the link is a file of this machine."""


class Exporter:
    """Writes reports and hands them out. `now` is the time in UTC."""

    def __init__(self, files: Files, *, now: Callable[[], datetime]) -> None:
        self._files, self._now = files, now

    async def export(self, panel: Panel, asked: list[AskedQuestion], format: Format, *, bom: bool) -> ExportedPanel:
        """The questions `asked` of `panel` as a file.

        Raises NotReady: nothing has been answered yet.
        """
        answered = [question for question in asked if any(reply.status != "pending" for reply in question.replies)]
        if not answered:
            raise NotReady(ASK_FIRST)
        report = await asyncio.to_thread(self._report, panel, answered)
        document = await render(report, format, bom=bom)
        link = await self._files.publish(document.file_name, document.media_type, document.content)
        answers = sum(reply.status != "pending" for question in answered for reply in question.replies)
        return ExportedPanel(
            panel_id=report.panel_id,
            panel=report.panel,
            format=format,
            file_name=document.file_name,
            media_type=document.media_type,
            bytes=len(document.content),
            url=link.url,
            expires_at=link.expires_at,
            questions=len(answered),
            answers=answers,
            partial=report.partial,
            message=exported(report.panel, document.file_name, len(answered), answers, partial=report.partial),
            enclosed=_enclosure(link.url, document),
        )

    def _report(self, panel: Panel, asked: list[AskedQuestion]) -> Report:
        moment = self._now().astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
        return Report(
            panel_id=panel.study.id,
            panel=panel.study.name,
            groups=panel.study.groups,
            sections=tuple(Section(question, aggregate(question)) for question in asked),
            generated_at=moment,
            partial=any(question.status == "processing" for question in asked),
        )


def _enclosure(url: str, document: Document) -> Enclosure:
    """The link, with the file itself where it is short text, or where only this machine can follow the link."""
    size, local = len(document.content), urlsplit(url).scheme == "file"
    is_text = document.media_type.startswith("text/") or document.media_type.startswith("application/json")
    along = size <= MOST_LOCAL if local else is_text and size <= MOST_TEXT
    enclosed = Enclosure(url, document.file_name, document.media_type, size)
    return replace(enclosed, content=document.content) if along else enclosed
