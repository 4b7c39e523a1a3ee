"""A report as the bytes of a file: text aside in a thread, PDF in a program that can be stopped."""

import asyncio
import re
import sys
import unicodedata
from asyncio.subprocess import PIPE
from collections.abc import Callable, Mapping

import structlog

from app.internal_api.children import ENVIRONMENT
from app.internal_api.panels.reports.csv import write_csv
from app.internal_api.panels.reports.markdown import write_markdown
from app.internal_api.panels.reports.report import Report

PDF = (sys.executable, "-P", "-m", "app.internal_api.panels.reports.pdf")
MEDIA_TYPES: Mapping[str, str] = {
    "csv": "text/csv; charset=utf-8",
    "md": "text/markdown; charset=utf-8",
    "pdf": "application/pdf",
}
TEXTS: Mapping[str, Callable[[Report], str]] = {"csv": write_csv, "md": write_markdown}
LONGEST_NAME = 80
LAST_WORDS = 500
"""Bytes of what a broken writer said that are logged."""

log = structlog.get_logger()


class RenderingFailed(Exception):
    """The file could not be made; why is in the log."""


async def render(report: Report, file_format: str) -> bytes:
    """The file. Raises RenderingFailed."""
    if file_format in TEXTS:
        return await asyncio.to_thread(_encoded, report, file_format)
    return await render_pdf(report)


async def render_pdf(report: Report) -> bytes:
    """Written by a child process, which ends with this call, also when it is cancelled. Raises RenderingFailed."""
    told = await asyncio.to_thread(report.model_dump_json, by_alias=True)
    process = await asyncio.create_subprocess_exec(*PDF, stdin=PIPE, stdout=PIPE, stderr=PIPE, env=ENVIRONMENT)
    try:
        written, complaint = await process.communicate(told.encode())
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    if process.returncode != 0 or not written:
        reason = complaint[-LAST_WORDS:].decode(errors="replace")
        log.warning("pdf_writer.died", returncode=process.returncode, reason=reason)
        raise RenderingFailed
    return written


def file_name(study: str, kind: str, file_format: str) -> str:
    """Of plain letters only, so that it is safe on every file system and in every header."""
    letters = unicodedata.normalize("NFKD", study).encode("ascii", "ignore").decode().lower()
    name = re.sub(r"[^a-z0-9]+", "-", letters)[:LONGEST_NAME].strip("-") or "study"
    return f"{name}-{kind.replace('_', '-')}.{file_format}"


def _encoded(report: Report, file_format: str) -> bytes:
    return TEXTS[file_format](report).encode()
