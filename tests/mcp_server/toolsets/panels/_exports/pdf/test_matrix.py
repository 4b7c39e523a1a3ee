"""In every cell a bar on the same axis, with its figures."""

import pytest

from mcp_server.toolsets.panels._exports.pdf import look
from mcp_server.toolsets.panels._exports.pdf.matrix import Cell, Head, Line, matrix
from mcp_server.toolsets.panels._exports.phrases import NONE
from mcp_server.toolsets.panels._results import Interval
from tests.mcp_server.toolsets.panels._exports.pdf.paper import Paper, drawn

EVERYONE, OTHERS = Head("Everyone", 8, whole=True), Head("Others", 4, whole=False)


def test_bars_are_as_long_as_their_shares(paper: Paper) -> None:
    drawn(paper, matrix(paper, "Shares", [EVERYONE, OTHERS], [Line("yes", [Cell(4, 8), Cell(1, 4)])]))

    (whole,), (part,) = paper.filled(look.ACCENT), paper.filled(look.BAR)
    full = paper.filled(look.PALE)[0].width
    assert [whole.width / full, part.width / full] == pytest.approx([0.5, 0.25])
    assert {"4 · 50 %", "1 · 25 %", "n = 8", "n = 4"} <= set(paper.texts)


def test_nobody_is_no_bar_and_of_nobody_no_share(paper: Paper) -> None:
    drawn(paper, matrix(paper, "Shares", [EVERYONE, OTHERS], [Line("yes", [Cell(0, 8), Cell(0, 0)])]))

    assert paper.filled(look.ACCENT) == paper.filled(look.BAR) == []
    assert {"0 · 0 %", NONE} <= set(paper.texts)


def test_whiskers_stay_on_the_axis(paper: Paper) -> None:
    cell = Cell(4, 8, Interval(low=-0.2, high=1.2, method="Wilson score"))

    drawn(paper, matrix(paper, "Shares", [EVERYONE], [Line("yes", [cell])]))

    axis = paper.filled(look.PALE)[0]
    whisker = next(mark for mark in paper.marks if mark.colour == look.INK and mark.width)
    assert [whisker.x, whisker.width] == pytest.approx([axis.x, axis.width])


def test_many_groups_and_many_options_are_several_charts_that_each_fit(paper: Paper) -> None:
    heads = [Head(f"g{n}", 4, whole=False) for n in range(8)]
    lines = [Line(f"option {n}", [Cell(n % 5, 4)] * 8) for n in range(40)]

    blocks = list(matrix(paper, "Shares", heads, lines))
    drawn(paper, blocks)

    assert len(blocks) == 4
    assert all(block.height < look.ROOM for block in blocks)
    assert [text for text in paper.texts if text.startswith("g")].count("g7") == 2
    assert paper.texts.count("option 39") == 2


def test_the_description_tells_every_cell(paper: Paper) -> None:
    (block,) = matrix(paper, "Shares", [EVERYONE, OTHERS], [Line("yes", [Cell(4, 8), Cell(1, 4)])])

    assert block.alt == "Shares yes: Everyone 4 · 50 %, Others 1 · 25 %"
