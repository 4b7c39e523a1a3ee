"""What flows down the pages: pieces of a known height, and the rules by which pages are broken between them."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

from mcp_server.toolsets.panels._exports.pdf import look
from mcp_server.toolsets.panels._exports.pdf.breaking import break_lines, cut
from mcp_server.toolsets.panels._exports.pdf.directions import marked, rightward
from mcp_server.toolsets.panels._exports.pdf.look import Colour, Style
from mcp_server.toolsets.panels._exports.pdf.sheet import Align, Sheet

Draw = Callable[[Sheet, float], None]

BOOKMARK_LENGTH = 90
ONE_TEXT_AT_MOST = 12_000
"""Characters of one paragraph: the longest question that may be asked fits."""


@dataclass(frozen=True, slots=True)
class Block:
    """A piece that no page break divides.

    Attributes:
        draw: puts it on the sheet, with its top at the given height.
        gap: above it, except at the top of a page.
        keep: stays on one page with what follows.
        header: comes again above it when it begins a page.
        room: begins a page where less than this is left of one.
        tag, alt: as in `Sheet.tagged`; without a tag it is decoration.
        bookmark: level and words of its entry in the outline.

    """

    height: float
    draw: Draw
    gap: float = 0
    keep: bool = False
    header: "Block | None" = None
    room: float = 0
    tag: str = "P"
    alt: str | None = None
    bookmark: tuple[int, str] | None = None


def flow(sheet: Sheet, blocks: Iterable[Block]) -> None:
    """Put `blocks` on as many pages as they need."""
    sheet.add_page()
    y = look.TOP
    for group in _groups(blocks):
        y = _place_group(sheet, group, y)


def _groups(blocks: Iterable[Block]) -> Iterator[list[Block]]:
    group: list[Block] = []
    for block in blocks:
        group.append(block)
        if not block.keep:
            yield group
            group = []
    if group:
        yield group


def _place_group(sheet: Sheet, group: list[Block], y: float) -> float:
    needed = sum(block.gap + block.height for block in group)
    if y > look.TOP and y + max(needed, group[0].room) > look.BOTTOM:
        y = _next_page(sheet, group[0])
    for block in group:
        if y > look.TOP and y + block.gap + block.height > look.BOTTOM:  # the group is higher than a page
            y = _next_page(sheet, block)
        y = _place(sheet, block, y if y == look.TOP else y + block.gap)
    return y


def _next_page(sheet: Sheet, block: Block) -> float:
    sheet.add_page()
    return _place(sheet, block.header, look.TOP) if block.header else look.TOP


def _place(sheet: Sheet, block: Block, y: float) -> float:
    if block.bookmark is not None:
        level, words = block.bookmark
        sheet.set_xy(look.LEFT, y)
        sheet.start_section(cut(" ".join(words.split()), BOOKMARK_LENGTH), level)
    with sheet.tagged(block.tag, block.alt):
        block.draw(sheet, y)
    return y + block.height


# --- text ---


def lines_of(sheet: Sheet, text: str, width: float, style: Style) -> list[str]:
    """Each line is marked where it would be read in another direction than its paragraph."""
    return [
        marked(line, like=rightward(paragraph))
        for paragraph in text.split("\n")
        for line in break_lines(paragraph, width, lambda piece: sheet.wide(piece, style))
    ]


def put_lines(
    sheet: Sheet,
    lines: list[str],
    x: float,
    y: float,
    width: float,
    style: Style,
    align: Align = "L",
    *,
    prose: bool = False,
) -> None:
    """Lines below each other. Prose that is read from the right begins there; a name stays in its column."""
    for line in lines:
        sheet.put(x, y, line, style, width, "R" if prose and rightward(line) else align)
        y += style.line


@dataclass(frozen=True, slots=True)
class Frame:
    """Where a paragraph stands. `bar` and `fill` are drawn beside and behind every line of it."""

    x: float = look.LEFT
    width: float = look.WIDTH
    bar: Colour | None = None
    fill: Colour | None = None


BODY_FRAME = Frame()
CALLOUT = Frame(bar=look.AMBER, fill=look.AMBER_PALE)
STRIP = 1.5


def paragraph(
    sheet: Sheet,
    text: str,
    style: Style = look.BODY,
    *,
    gap: float = 1.5,
    frame: Frame = BODY_FRAME,
    keep: bool = False,
    mark: str = "",
) -> Iterator[Block]:
    """One block for each line, so that long texts run over pages; neither first nor last line stands alone.

    `mark` stands before the first line, such as a bullet. With `keep` the last line stays with what follows.
    """
    shift = sheet.wide(mark + " ", style) if mark else 0.0
    inset = 3.5 if frame.bar or frame.fill else 0.0
    width = frame.width - shift - 2 * inset
    lines = lines_of(sheet, cut(text, ONE_TEXT_AT_MOST), width, style)
    for n, line in enumerate(lines):
        last = n == len(lines) - 1
        draw = _line(line, style, replace(frame, x=frame.x + inset + shift, width=width), frame, "" if n else mark)
        yield Block(style.line, draw, gap=0 if n else gap, keep=keep if last else n == 0 or n == len(lines) - 2)


def _line(text: str, style: Style, inner: Frame, outer: Frame, mark: str) -> Draw:
    def draw(sheet: Sheet, y: float) -> None:
        if outer.fill:
            sheet.box(outer.x, y, outer.width, style.line + 0.05, outer.fill)
        if outer.bar:
            sheet.box(outer.x, y, 1.0, style.line + 0.05, outer.bar)
        if mark:
            sheet.put(inner.x - sheet.wide(mark + " ", style), y, mark, style)
        put_lines(sheet, [text], inner.x, y, inner.width, style, prose=True)

    return draw


def heading(sheet: Sheet, text: str, *, level: int = 1, room: float = 0, bookmark: str | None = None) -> Block:
    """It never stands at the end of a page. `level` 0 is a part of the report, 1 a section, 2 has no bookmark."""
    style = (look.HEADING, look.HEADING, look.SUBHEADING)[level]
    lines = lines_of(sheet, text, look.WIDTH, style)
    return Block(
        len(lines) * style.line + 1.2,
        lambda page, y: put_lines(page, lines, look.LEFT, y, look.WIDTH, style),
        gap=(9.0, 11.0, 4.5)[level],
        keep=True,
        room=room,
        tag=f"H{level + 1}",
        bookmark=None if level > 1 else (level, bookmark or text),
    )


def bullets(sheet: Sheet, texts: Iterable[str], style: Style = look.BODY) -> Iterator[Block]:
    for text in texts:
        yield from paragraph(sheet, text, style, mark="•", gap=1.2)


def callout(sheet: Sheet, texts: Iterable[str]) -> Iterator[Block]:
    """What must not be overlooked, in a box."""
    yield _strip(gap=3, keep=True)
    for text in texts:
        yield from paragraph(sheet, text, look.SMALL, frame=CALLOUT, gap=0, keep=True)
    yield _strip(keep=False)


def _strip(*, gap: float = 0, keep: bool) -> Block:
    """The box above its first line and below its last."""

    def draw(sheet: Sheet, y: float) -> None:
        sheet.box(CALLOUT.x, y, CALLOUT.width, STRIP + 0.05, CALLOUT.fill or look.PALE)
        sheet.box(CALLOUT.x, y, 1.0, STRIP + 0.05, CALLOUT.bar or look.INK)

    return Block(STRIP, draw, gap=gap, keep=keep, tag="")
