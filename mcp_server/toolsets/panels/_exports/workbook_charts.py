"""Native charts, which read their figures from the cells beside them."""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from xlsxwriter.chart import Chart
from xlsxwriter.workbook import Workbook

STYLE: Mapping[str, Any] = tomllib.loads(Path(__file__).with_name("workbook.toml").read_text(encoding="utf-8"))
"""Of the whole workbook."""

WIDTH = 1_060
ROW_PIXELS = 20


@dataclass(frozen=True, slots=True)
class Figures:
    """What is drawn of a table: at most `most` rows, a series for each of `columns`; shares, or counts where stacked.

    The scale ends at `top`.
    """

    shape: Literal["columns", "bars", "stacked"]
    title: str
    columns: Sequence[int]
    top: float | None = None
    most: int = 1_000

    def chart(self, book: Workbook, sheet: str, header: int, last: int) -> Chart:
        """The chart of the table whose head and last row are these: labels first, each series under its name."""
        style = STYLE["chart"]
        chart = book.add_chart(style["shapes"][self.shape])
        for place, column in enumerate(self.columns):
            chart.add_series(
                {
                    "name": [sheet, header, column],
                    "categories": [sheet, header + 1, 0, last, 0],
                    "values": [sheet, header + 1, column, last, column],
                    "fill": {"color": style["palette"][place % len(style["palette"])]},
                    "gap": 60,
                }
            )
        chart.set_title({"name": self.title, **style["title"]})
        chart.set_legend({"none": True} if len(self.columns) == 1 else style["legend"])
        chart.set_size({"width": WIDTH, "height": self.height(last - header)})
        names, number = style["names"], "0" if self.shape == "stacked" else "0 %"
        scale = {**style["scale"], "max": self.top, "num_format": number}
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
