"""A report in the format that was asked for, without holding up the event loop."""

import asyncio
from collections.abc import Mapping
from functools import partial
from types import MappingProxyType
from typing import Literal, assert_never

from mcp_server.toolsets.panels._exports.data import json_text
from mcp_server.toolsets.panels._exports.file_names import file_name
from mcp_server.toolsets.panels._exports.markdown import markdown
from mcp_server.toolsets.panels._exports.pdf_process import render_pdf
from mcp_server.toolsets.panels._exports.table import comma_separated
from mcp_server.toolsets.panels._exports.workbook.book import workbook
from mcp_server.toolsets.panels._report import Document, Report

Format = Literal["json", "csv", "xlsx", "md", "pdf"]

ALIASES: Mapping[str, Format] = MappingProxyType({"xls": "xlsx", "markdown": "md"})
"""What else people call them."""

MEDIA_TYPES: Mapping[Format, str] = MappingProxyType(
    {
        "json": "application/json",
        "csv": "text/csv; charset=utf-8; header=present",
        "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        "md": "text/markdown; charset=utf-8; variant=GFM",
        "pdf": "application/pdf",
    }
)


async def render(report: Report, format: Format, *, bom: bool = True) -> Document:
    """Write `report`; `bom` begins a CSV with the mark by which Excel knows UTF-8."""
    return Document(
        file_name=file_name(report, format),
        media_type=MEDIA_TYPES[format],
        content=await _content(report, format, bom=bom),
    )


async def _content(report: Report, format: Format, *, bom: bool) -> bytes:
    match format:
        case "pdf":
            return await render_pdf(report)
        case "csv":
            return await asyncio.to_thread(partial(comma_separated, report, bom=bom))
        case "xlsx":
            return await asyncio.to_thread(workbook, report)
        case "md":
            return await asyncio.to_thread(markdown, report)
        case "json":
            return await asyncio.to_thread(json_text, report)
    assert_never(format)
