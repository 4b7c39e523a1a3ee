"""Native charts, which read their figures from the cells beside them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from xlsxwriter.chart import Chart
from xlsxwriter.workbook import Workbook

PALETTE = ("#2563EB", "#D97706", "#059669", "#DB2777", "#7C3AED", "#0891B2", "#65A30D", "#92400E", "#475569", "#BE123C")
"""Distinguishable also by those who see few colours, since neighbours differ in lightness."""

WIDTH = 1_060
ROW_PIXELS = 20
_FONT = {"size": 10, "color": "#334155"}
_GRID = {"visible": True, "line": {"color": "#E2E8F0", "width": 0.75}}

Shape = Literal["columns", "bars", "stacked"]


@dataclass(frozen=True, slots=True)
class Block:
    """Where the figures stand: a label column, and a column for each series under its name."""

    sheet: str
    header: int
    last: int
    columns: Sequence[int]


def chart_of(book: Workbook, block: Block, *, title: str, shape: Shape, most: float | None = None) -> Chart:
    """The chart of `block`: of shares, or of counts where it is stacked. The scale ends at `most`."""
    kind: dict[str, str] = {"type": "column" if shape == "columns" else "bar"}
    if shape == "stacked":
        kind["subtype"] = "stacked"
    chart = book.add_chart(kind)
    for place, column in enumerate(block.columns):
        chart.add_series(
            {
                "name": [block.sheet, block.header, column],
                "categories": [block.sheet, block.header + 1, 0, block.last, 0],
                "values": [block.sheet, block.header + 1, column, block.last, column],
                "fill": {"color": PALETTE[place % len(PALETTE)]},
                "gap": 60,
            }
        )
    chart.set_title({"name": title, "name_font": {"size": 12, "color": "#1F2937"}, "overlay": False})
    chart.set_legend({"none": True} if len(block.columns) == 1 else {"position": "bottom", "font": _FONT})
    chart.set_size({"width": WIDTH, "height": height_of(block.last - block.header, len(block.columns), shape)})
    names: dict[str, Any] = {"num_font": _FONT, "line": {"color": "#94A3B8"}}
    scale: dict[str, Any] = {"num_font": _FONT, "min": 0, "max": most, "major_gridlines": _GRID, "line": {"none": True}}
    scale["num_format"] = "0" if shape == "stacked" else "0 %"
    if shape == "columns":
        chart.set_x_axis(names)
        chart.set_y_axis(scale)
    else:  # bars are drawn from the bottom up, and a table is read from the top down
        chart.set_y_axis({**names, "reverse": True, "major_gridlines": {"visible": False}})
        chart.set_x_axis({**scale, "label_position": "high"})  # turned round, the scale would be on top
    return chart


def rows_for(entries: int, series: int, shape: Shape) -> int:
    """How many rows of a sheet a chart covers, with the air around it."""
    return height_of(entries, series, shape) // ROW_PIXELS + 2


def height_of(entries: int, series: int, shape: Shape) -> int:
    """The height of a chart in pixels: bars are as thick as they need be to be distinguished."""
    if shape == "columns":
        return 400
    drawn = 30 * entries if shape == "stacked" else entries * (14 * series + 16)
    return min(1_400, 130 + max(150, drawn))
