"""How cells look: made once for a workbook."""

from dataclasses import dataclass
from typing import Any

from xlsxwriter.format import Format
from xlsxwriter.workbook import Workbook

INK, PALE, LINE = "#1F2937", "#EEF2F7", "#CBD5E1"
_RIGHT: dict[str, Any] = {"valign": "top", "align": "right", "indent": 1}
_TOP: dict[str, Any] = {"valign": "top"}
_HEAD: dict[str, Any] = {"bold": True, "bg_color": PALE, "bottom": 1, "bottom_color": LINE}
_WRAP: dict[str, Any] = {"valign": "top", "text_wrap": True}


@dataclass(frozen=True, slots=True)
class Styles:
    """The formats of one workbook."""

    title: Format
    heading: Format
    head: Format
    head_right: Format
    label: Format
    note: Format
    text: Format
    line: Format
    date: Format
    count: Format
    figure: Format
    share: Format
    link: Format


def styles_of(book: Workbook) -> Styles:
    """Make the formats in `book`."""
    return Styles(
        title=book.add_format({**_WRAP, "bold": True, "font_size": 16, "font_color": INK}),
        heading=book.add_format({"bold": True, "font_size": 12, "font_color": INK, "bottom": 1, "bottom_color": LINE}),
        head=book.add_format({**_WRAP, **_HEAD}),
        head_right=book.add_format({**_WRAP, **_HEAD, **_RIGHT}),
        label=book.add_format({**_WRAP, "bold": True}),
        note=book.add_format({**_WRAP, "italic": True, "font_color": "#475569"}),
        text=book.add_format(_WRAP),
        line=book.add_format({**_TOP, "indent": 1}),
        date=book.add_format({**_TOP, "num_format": "yyyy-mm-dd hh:mm", "align": "left"}),
        count=book.add_format({**_RIGHT, "num_format": "0"}),
        figure=book.add_format({**_RIGHT, "num_format": "0.00_)"}),
        share=book.add_format({**_RIGHT, "num_format": "0 %"}),
        link=book.add_format({**_TOP, "font_color": "#1D4ED8", "underline": 1}),
    )
