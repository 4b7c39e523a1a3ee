"""A report in the format that was asked for, without holding up the event loop.

The PDF is made by a child process: the server never loads what makes it, its memory stays as it is, and a report that
takes too long is stopped.
"""

import asyncio
import re
import sys
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from pkgutil import resolve_name
from subprocess import PIPE
from typing import Literal, NamedTuple
from urllib.parse import urlsplit

import anyio
import structlog

from mcp_server.errors import NotReady, ServiceUnavailable
from mcp_server.toolkit.answers import Enclosure
from mcp_server.toolkit.files import Files
from mcp_server.toolkit.folding import latin
from mcp_server.toolsets.panels._exports.data import comma_separated, json_text
from mcp_server.toolsets.panels._exports.markdown import markdown
from mcp_server.toolsets.panels._exports.pdf import document
from mcp_server.toolsets.panels._exports.phrases import moment
from mcp_server.toolsets.panels._exports.tables import Report
from mcp_server.toolsets.panels._lens import Attributes, Lens
from mcp_server.toolsets.panels._minds.studies import Panel
from mcp_server.toolsets.panels._study import AskedQuestion
from mcp_server.toolsets.panels._text import ASK_FIRST, exported
from mcp_server.toolsets.panels.models import ExportedPanel

Format = Literal["json", "csv", "xlsx", "md", "pdf"]

MEDIA_TYPES: Mapping[Format, str] = {
    "json": "application/json",
    "csv": "text/csv; charset=utf-8; header=present",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "md": "text/markdown; charset=utf-8; variant=GFM",
    "pdf": "application/pdf",
}

WORKBOOK = "mcp_server.toolsets.panels._exports.workbook:workbook"
"""It is imported with its library, 3 MB, where one is asked for."""

NAME_AT_MOST = 80  # characters of the panel's name that are kept in the name of the file

PDF_WRITER = (sys.executable, "-P", str(Path(__file__).with_name("pdf_writer.py")))
"""`-P`, because what lies beside the program or in the folder where it runs must not be imported for a library."""

PDF_ENVIRONMENT: Mapping[str, str] | None = None if sys.platform == "win32" else {}
"""No secret of this process is needed there. Programs for Windows do not start without theirs."""

PDF_SECONDS = 60.0
REASON = 500  # bytes of the program's last words that are logged

MOST_TEXT = 60_000
"""Bytes of a text export that goes along with the link; beyond it, a host would cut the result."""
MOST_LOCAL = 1_000_000
"""Bytes of any export that goes along where the link is a file of this machine."""

log = structlog.get_logger(__name__)


class Document(NamedTuple):
    """A finished export. `file_name` is safe on every file system."""

    file_name: str
    media_type: str
    content: bytes


async def render(report: Report, format: Format, *, bom: bool = True) -> Document:
    """Write `report`; `bom` begins a CSV with the mark by which Excel knows UTF-8."""
    if format == "pdf":
        content = await render_pdf(report)
    else:
        table = partial(comma_separated, bom=bom)
        writers: Mapping[Format, Callable[[Report], bytes]] = {"csv": table, "md": markdown, "json": json_text}
        content = await asyncio.to_thread(resolve_name(WORKBOOK) if format == "xlsx" else writers[format], report)
    return Document(file_name(report, format), MEDIA_TYPES[format], content)


async def render_pdf(report: Report, *, seconds: float = PDF_SECONDS) -> bytes:
    """A PDF of `report`, the same bytes for the same report. The child ends when the caller is cancelled.

    Raises ServiceUnavailable: it took too long, or failed; why is in the log.
    """
    data = await asyncio.to_thread(document, report)
    try:
        with anyio.fail_after(seconds):
            run = await anyio.run_process(
                PDF_WRITER, input=data, stdout=PIPE, stderr=PIPE, check=False, env=PDF_ENVIRONMENT
            )
    except TimeoutError:
        log.warning("pdf_report.too_slow", seconds=seconds, bytes=len(data))
        raise ServiceUnavailable(
            f"The PDF was not finished within {seconds:g} seconds. Ask for another format, such as xlsx or md."
        ) from None
    if run.returncode != 0:
        reason = run.stderr[-REASON:].decode(errors="replace")
        log.error("pdf_report.failed", returncode=run.returncode, reason=reason)
        raise ServiceUnavailable("The PDF could not be made. Ask for another format, such as xlsx or md.")
    return run.stdout


def file_name(report: Report, extension: str) -> str:
    """`panel-<name>-<date>.<extension>`, of ASCII letters, digits and hyphens.

    The word at the front keeps it from being empty, hidden, or one of the names that Windows keeps for devices.
    """
    plain = re.sub(r"[^A-Za-z0-9]+", "-", latin(report.panel[: NAME_AT_MOST * 2])).strip("-")
    made = moment(report.generated_at)
    parts = ["panel", plain[:NAME_AT_MOST].rstrip("-"), f"{made:%Y-%m-%d}" if made else ""]
    return f"{'-'.join(part for part in parts if part)}.{extension}"


class Exporter:
    """Writes reports and hands them out. `now` is the time in UTC."""

    def __init__(self, files: Files, *, now: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        self._files, self._now = files, now

    async def export(
        self, panel: Panel, asked: list[AskedQuestion], format: Format, lens: Lens, told: Attributes, *, bom: bool
    ) -> ExportedPanel:
        """The questions `asked` of `panel` as a file, with what is `told` of personas.

        Raises NotReady: nothing has been answered yet.
        """
        answered = [question for question in asked if any(reply.status != "pending" for reply in question.replies)]
        if not answered:
            raise NotReady(ASK_FIRST)
        report = await asyncio.to_thread(self._report, panel, answered, lens, told)
        document = await render(report, format, bom=bom)
        link = await self._files.publish(*document, of=report.panel_id)
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

    def _report(self, panel: Panel, asked: list[AskedQuestion], lens: Lens, told: Attributes) -> Report:
        personas = {reply.persona_id for question in asked for reply in question.replies}
        return Report(
            panel_id=panel.study.id,
            panel=panel.study.name,
            groups=panel.study.groups,
            sections=tuple(lens.section(question) for question in asked),
            generated_at=self._now().astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z"),
            partial=any(question.status == "processing" for question in asked),
            attributes={identity: each for identity, each in told.items() if identity in personas},
        )


def _enclosure(url: str, document: Document) -> Enclosure:
    """The link, with the file itself where it is short text, or where only this machine can follow the link."""
    size, local = len(document.content), urlsplit(url).scheme == "file"
    is_text = document.media_type.startswith("text/") or document.media_type.startswith("application/json")
    along = size <= MOST_LOCAL if local else is_text and size <= MOST_TEXT
    return Enclosure(url, document.file_name, document.media_type, size, document.content if along else None)
