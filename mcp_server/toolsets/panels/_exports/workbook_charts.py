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
class Figures:
    """What is drawn of a table: at most `most` rows, a series for each of `columns`; shares, or counts where stacked.

    The scale ends at `top`.
    """

    shape: Shape
    title: str
    columns: Sequence[int]
    top: float | None = None
    most: int = 1_000

    def chart(self, book: Workbook, sheet: str, header: int, last: int) -> Chart:
        """The chart of the table whose head and last row are these: labels first, each series under its name."""
        kind: dict[str, str] = {"type": "column" if self.shape == "columns" else "bar"}
        if self.shape == "stacked":
            kind["subtype"] = "stacked"
        chart = book.add_chart(kind)
        for place, column in enumerate(self.columns):
            chart.add_series(
                {
                    "name": [sheet, header, column],
                    "categories": [sheet, header + 1, 0, last, 0],
                    "values": [sheet, header + 1, column, last, column],
                    "fill": {"color": PALETTE[place % len(PALETTE)]},
                    "gap": 60,
                }
            )
        chart.set_title({"name": self.title, "name_font": {"size": 12, "color": "#1F2937"}, "overlay": False})
        chart.set_legend({"none": True} if len(self.columns) == 1 else {"position": "bottom", "font": _FONT})
        chart.set_size({"width": WIDTH, "height": self.height(last - header)})
        names: dict[str, Any] = {"num_font": _FONT, "line": {"color": "#94A3B8"}}
        scale: dict[str, Any] = {"num_font": _FONT, "min": 0, "max": self.top, "major_gridlines": _GRID}
        scale |= {"line": {"none": True}, "num_format": "0" if self.shape == "stacked" else "0 %"}
        if self.shape == "columns":
            chart.set_x_axis(names)
            chart.set_y_axis(scale)
        else:  # bars are drawn from the bottom up, and a table is read from the top down
            chart.set_y_axis({**names, "reverse": True, "major_gridlines": {"visible": False}})
            chart.set_x_axis({**scale, "label_position": "high"})  # turned round, the scale would be on top
        return chart

    def height(self, entries: int) -> int:
        """In pixels: bars are as thick as they need be to be distinguished."""
        if self.shape == "columns":
            return 400
        drawn = 30 * entries if self.shape == "stacked" else entries * (14 * len(self.columns) + 16)
        return min(1_400, 130 + max(150, drawn))
