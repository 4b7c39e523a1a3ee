"""Charts read the cells of their sheet."""

import pytest

from mcp_server.toolsets.panels._exports.workbook.charts import ROW_PIXELS, Shape, height_of, rows_for


@pytest.mark.parametrize("shape", ["columns", "bars", "stacked"])
@pytest.mark.parametrize("entries", [1, 4, 30])
@pytest.mark.parametrize("series", [1, 8])
def test_the_rows_that_are_left_free_hold_the_chart(shape: Shape, entries: int, series: int) -> None:
    assert rows_for(entries, series, shape) * ROW_PIXELS > height_of(entries, series, shape)


def test_bars_need_room_and_columns_do_not() -> None:
    assert height_of(20, 3, "bars") > height_of(4, 3, "bars")
    assert height_of(10, 8, "bars") > height_of(10, 2, "bars")
    assert height_of(20, 3, "columns") == height_of(4, 3, "columns")
    assert height_of(30, 20, "bars") <= 1_400
