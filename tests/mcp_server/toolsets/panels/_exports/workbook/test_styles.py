"""The formats of a workbook."""

import io
from dataclasses import fields

from xlsxwriter.workbook import Workbook

from mcp_server.toolsets.panels._exports.workbook.styles import Styles, styles_of


def test_each_format_belongs_to_the_workbook_and_long_texts_wrap() -> None:
    with Workbook(io.BytesIO(), {"in_memory": True}) as book:
        styles = styles_of(book)

        assert {getattr(styles, field.name) for field in fields(Styles)} <= set(book.formats)
        assert styles.text.text_wrap
        assert not styles.line.text_wrap
