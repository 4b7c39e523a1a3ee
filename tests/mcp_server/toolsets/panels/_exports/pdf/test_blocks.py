"""Pages are broken where readers expect it."""

import io

import pytest
from pypdf import PdfReader

from mcp_server.toolsets.panels._exports.pdf import look
from mcp_server.toolsets.panels._exports.pdf.blocks import (
    Block,
    Frame,
    bullets,
    callout,
    flow,
    heading,
    lines_of,
    paragraph,
    put_lines,
)
from mcp_server.toolsets.panels._exports.pdf.directions import FROM_LEFT
from tests.mcp_server.toolsets.panels._exports.pdf.paper import HEBREW, Paper, bookmarks, flowed


def block(name: str, height: float = 100, *, room: float = 0, keep: bool = False, header: Block | None = None) -> Block:
    return Block(height, lambda sheet, y: sheet.put(20, y, name, look.BODY), room=room, keep=keep, header=header, gap=5)


def places(paper: Paper) -> list[tuple[str, int, float]]:
    """What stands on which page, counted from the first that the flow began, and how far down."""
    flow_of = [mark for mark in paper.marks if mark.text and look.TOP <= mark.y < look.BOTTOM]
    return [(mark.text, mark.page - 1, round(mark.y - look.TOP, 2)) for mark in flow_of]


def test_blocks_stand_below_each_other_with_a_gap_but_not_at_the_top(paper: Paper) -> None:
    flowed(paper, [block("a"), block("b"), block("c")])

    assert places(paper) == [("a", 1, 0), ("b", 1, 105), ("c", 2, 0)]


def test_what_stays_with_the_next_goes_to_the_next_page_with_it(paper: Paper) -> None:
    flowed(paper, [block("a"), block("heading", 90, keep=True), block("b")])

    assert places(paper) == [("a", 1, 0), ("heading", 2, 0), ("b", 2, 95)]


def test_a_group_that_is_higher_than_a_page_is_broken_between_its_blocks(paper: Paper) -> None:
    flowed(paper, [block(name, keep=True) for name in "abc"])

    assert places(paper) == [("a", 1, 0), ("b", 1, 105), ("c", 2, 0)]


def test_a_header_comes_again_above_what_begins_a_page(paper: Paper) -> None:
    flowed(paper, [block("a", 200), block("row", header=block("head", 10)), block("row", 50, header=block("head", 10))])

    assert places(paper) == [("a", 1, 0), ("head", 2, 0), ("row", 2, 15), ("row", 2, 120)]


def test_what_wants_more_room_than_is_left_begins_a_page(paper: Paper) -> None:
    flowed(paper, [block("a"), block("b", 10, room=100), block("c", 10, room=look.ROOM)])

    assert places(paper) == [("a", 1, 0), ("b", 1, 105), ("c", 2, 0)]


def test_a_bookmark_leads_to_its_page(paper: Paper) -> None:
    flow(paper, [heading(paper, "One\nmore", level=0), block("a", 200), heading(paper, "Two", level=0), block("b")])

    document = PdfReader(io.BytesIO(bytes(paper.output())))

    assert bookmarks(document) == [
        ("One more", 1),
        ("Two", 2),
    ]


def test_a_heading_is_tagged_by_its_level_and_stays_with_what_follows(paper: Paper) -> None:
    assert [(h.tag, h.keep) for h in (heading(paper, "x", level=n) for n in range(3))] == [
        ("H1", True),
        ("H2", True),
        ("H3", True),
    ]
    assert heading(paper, "x", level=2).bookmark is None


def test_a_long_paragraph_runs_over_pages_without_a_lonely_line(paper: Paper) -> None:
    lines = list(paragraph(paper, "word " * 300, frame=Frame(width=60)))

    assert [line.keep for line in lines] == [True, *[False] * (len(lines) - 3), True, False]
    assert lines[0].gap > 0 == sum(line.gap for line in lines[1:])
    assert list(paragraph(paper, "word", keep=True))[-1].keep


def test_no_line_of_a_paragraph_is_wider_than_its_frame(paper: Paper) -> None:
    frame = Frame(x=30, width=50, bar=look.BAR)

    flowed(paper, paragraph(paper, "some words and some more words " * 5, frame=frame, mark="•"))

    texts = [mark for mark in paper.marks if mark.text and mark.text != "•" and look.TOP <= mark.y < look.BOTTOM]
    assert len(texts) > 4
    assert all(mark.x > 33 and mark.x + paper.wide(mark.text, look.BODY) <= 80 for mark in texts)
    assert len(paper.filled(look.BAR)) == len(texts)


def test_a_line_in_another_direction_than_its_paragraph_is_marked(paper: Paper) -> None:
    wide = paper.wide("price is ", look.BODY)

    assert lines_of(paper, f"price is {HEBREW}", wide, look.BODY) == ["price is", f"{FROM_LEFT}{HEBREW}"]


@pytest.mark.parametrize(("prose", "align"), [(True, "R"), (False, "L")])
def test_prose_that_is_read_from_the_right_stands_there_and_a_name_does_not(
    paper: Paper, align: str, *, prose: bool
) -> None:
    put_lines(paper, [HEBREW, "abc"], 20, 40, 100, look.BODY, prose=prose)

    assert [mark.align for mark in paper.marks] == [align, "L"]


def test_bullets_stand_before_their_first_line_only(paper: Paper) -> None:
    flowed(paper, bullets(paper, ["word " * 60, "short"]))

    assert paper.texts.count("•") == 2


def test_a_callout_is_one_box_however_many_lines_it_has(paper: Paper) -> None:
    flowed(paper, callout(paper, ["word " * 60, "short"]))

    boxes = paper.filled(look.AMBER_PALE)
    tops = [box.y for box in boxes]
    assert len(boxes) > 4
    assert all(one.y + one.height >= below for one, below in zip(boxes, tops[1:], strict=False))
