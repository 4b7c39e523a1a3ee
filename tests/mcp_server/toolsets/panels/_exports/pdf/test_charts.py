"""What all charts share."""

import pytest

from mcp_server.toolsets.panels._exports.pdf import look
from mcp_server.toolsets.panels._exports.pdf.charts import figure, named, one_line, part_of, parts, side_by_side, ticks
from tests.mcp_server.toolsets.panels._exports.pdf.paper import Paper, drawn
from tests.mcp_server.toolsets.panels.reports import report_of


@pytest.mark.parametrize(("groups", "expected"), [(1, 1), (3, 4)])
def test_everyone_stands_beside_groups_but_not_beside_a_single_one(groups: int, expected: int) -> None:
    result = report_of(groups=groups).sections[0].result

    assert len(side_by_side(result)) == expected


def test_items_come_in_parts() -> None:
    assert [list(part) for part in parts(range(5), 2)] == [[0, 1], [2, 3], [4]]
    assert part_of("Shares", 0) == "Shares"
    assert part_of("Shares", 1) != "Shares"


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (1, 5, [1, 2, 3, 4, 5]),
        (0, 10, list(range(11))),
        (0, 100, [0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100]),
        (1, 100, [1, 11, 21, 31, 41, 51, 61, 71, 81, 91, 100]),
        (-3, 3, [-3, -2, -1, 0, 1, 2, 3]),
    ],
)
def test_an_axis_has_its_ends_and_not_too_much_between(low: int, high: int, expected: list[int]) -> None:
    assert ticks(low, high) == expected


def test_a_name_that_is_too_long_is_cut_to_one_line(paper: Paper) -> None:
    name = one_line(paper, "A name\nthat goes on and on", 20, look.SMALL)

    assert name.startswith("A name ")
    assert name.endswith("…")
    assert paper.wide(name, look.SMALL) <= 20
    assert one_line(paper, "Short", 20, look.SMALL) == "Short"
    assert one_line(paper, "Short", 0.1, look.SMALL) == "…"


def test_long_names_that_differ_at_their_ends_stay_apart(paper: Paper) -> None:
    names = [f"Customers of the northern region, aged {n} to {n + 4}" for n in range(20, 60, 5)]

    shown = [named(paper, name, 26, look.SMALL) for name in names]

    assert len(set(shown)) == len(names)
    assert shown[0].startswith("Cust")
    assert shown[0].endswith("24")
    assert all("…" in name and paper.wide(name, look.SMALL) <= 26 for name in shown)


def test_a_name_that_fits_is_whole(paper: Paper) -> None:
    assert named(paper, "Gen\n Z", 26, look.SMALL) == "Gen Z"
    assert named(paper, "Gen Z", 0.1, look.SMALL) == "…"
    assert len(named(paper, "i" * 500, 1_000, look.SMALL)) <= 61


def test_a_chart_has_its_caption_above_it_and_a_description(paper: Paper) -> None:
    block = figure(paper, "What it shows.", 30, lambda sheet, y: sheet.box(20, y, 5, 5, look.BAR), "Everyone: 3")

    drawn(paper, [block])

    assert paper.tags == [("Figure", "What it shows. Everyone: 3")]
    assert paper.filled(look.BAR)[0].y == pytest.approx(block.gap + block.height - 30)
    assert paper.texts == ["What it shows."]
