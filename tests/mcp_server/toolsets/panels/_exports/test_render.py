"""Each format is what it says, under a name and a type of its own, while everything else goes on."""

import asyncio
import json
from typing import get_args

import pytest

from mcp_server.toolsets.panels._exports.render import ALIASES, MEDIA_TYPES, Format, render
from tests.mcp_server.toolsets.panels._exports.workbook.reading import opened
from tests.mcp_server.toolsets.panels.reports import big_report, report_of

REPORT = report_of()
HERE: tuple[Format, ...] = ("json", "csv", "xlsx", "md")
BEGINNINGS = {"json": b"{", "csv": b'\xef\xbb\xbf"Question"', "xlsx": b"PK\x03\x04", "md": b"# ", "pdf": b"%PDF-"}

each_format = pytest.mark.parametrize("format", get_args(Format))


@each_format
async def test_a_document_begins_as_its_format_does(format: Format) -> None:
    document = await render(REPORT, format)

    assert document.content.startswith(BEGINNINGS[format])
    assert document.file_name == f"panel-Pricing-Fruhjahr-2026-2026-11-21.{format}"
    assert document.media_type == MEDIA_TYPES[format]


def test_every_format_has_a_type_and_every_alias_a_format() -> None:
    assert set(MEDIA_TYPES) == set(get_args(Format))
    assert ALIASES == {"xls": "xlsx", "markdown": "md"}
    assert set(ALIASES.values()) <= set(get_args(Format))


async def test_the_byte_order_mark_can_be_left_out() -> None:
    with_mark, without = await render(REPORT, "csv"), await render(REPORT, "csv", bom=False)

    assert with_mark.content == b"\xef\xbb\xbf" + without.content


async def test_json_and_workbooks_can_be_read() -> None:
    data, book = await render(REPORT, "json"), await render(REPORT, "xlsx")

    assert json.loads(data.content)["panel"]["name"] == REPORT.panel
    assert opened(book.content).sheetnames[0] == "Summary"


@pytest.mark.parametrize("format", HERE)
async def test_other_tasks_go_on_while_a_big_report_is_written(format: Format) -> None:
    turns = 0
    writing = asyncio.create_task(render(big_report(), format))
    while not writing.done():
        await asyncio.sleep(0)
        turns += 1

    assert (await writing).content
    # On the event loop itself there would be no more than two.
    assert turns > 10


@pytest.mark.parametrize("format", HERE)
async def test_equal_reports_give_equal_files(format: Format) -> None:
    assert await render(REPORT, format) == await render(report_of(), format)
