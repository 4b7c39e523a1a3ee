"""What all charts share: whom they show, their captions, and axes. Charts are blocks, so no page divides them.

Every bar has its count beside it, and nothing is told by colour alone.
"""

from collections.abc import Iterator, Sequence
from typing import TypeVar

from mcp_server.toolsets.panels._exports.pdf import look
from mcp_server.toolsets.panels._exports.pdf.blocks import Block, Draw, lines_of
from mcp_server.toolsets.panels._exports.pdf.breaking import clusters, cut
from mcp_server.toolsets.panels._exports.pdf.look import Colour, Style
from mcp_server.toolsets.panels._exports.pdf.sheet import Sheet
from mcp_server.toolsets.panels._results import QuestionResult, Summary

NAME_AT_MOST = 60
ALT_AT_MOST = 4_000
TICKS_AT_MOST = 12

Item = TypeVar("Item")


def side_by_side(result: QuestionResult) -> list[Summary]:
    """Whom charts show: everyone and each group; of a single group that alone, which is everyone."""
    return result.groups if len(result.groups) == 1 else [result.overall, *result.groups]


def colour_of(summary: Summary) -> Colour:
    return look.ACCENT if summary.group is None else look.BAR


def parts(items: Sequence[Item], size: int) -> Iterator[Sequence[Item]]:
    """`items` in parts of at most `size`."""
    for start in range(0, len(items), size):
        yield items[start : start + size]


def figure(sheet: Sheet, caption: str, height: float, draw: Draw, alt: str) -> Block:
    """A chart of `height` below its caption."""
    style = look.NOTE
    lines = lines_of(sheet, caption, look.WIDTH, style)
    above = len(lines) * style.line + 2

    def whole(page: Sheet, y: float) -> None:
        for n, line in enumerate(lines):
            page.put(look.LEFT, y + n * style.line, line, style)
        draw(page, y + above)

    return Block(above + height, whole, gap=5, tag="Figure", alt=cut(f"{caption} {alt}", ALT_AT_MOST))


def part_of(caption: str, number: int) -> str:
    """The caption of a later part of a chart."""
    return caption if number == 0 else f"{caption} (continued)"


def one_line(sheet: Sheet, text: str, width: float, style: Style) -> str:
    """`text` in one line of at most `width`, cut where it must be."""
    text = cut(" ".join(text.split()), NAME_AT_MOST)
    while text != "…" and sheet.wide(text, style) > width:
        text = cut(text, max(1, len(text) - 1 - len(text) // 12)) if len(text) > 1 else "…"
    return text


def named(sheet: Sheet, name: str, width: float, style: Style) -> str:
    """`name` in one line of at most `width`, cut in its middle: groups often differ only at the end of their names."""
    name = " ".join(name.split())
    letters = list(clusters(name))
    kept = min(len(letters), NAME_AT_MOST)
    text = name if kept == len(letters) else _without_middle(letters, kept)
    while kept > 1 and sheet.wide(text, style) > width:
        kept -= 1
        text = _without_middle(letters, kept)
    return text if sheet.wide(text, style) <= width else "…"


def _without_middle(letters: Sequence[str], kept: int) -> str:
    front, back = letters[: (kept + 1) // 2], letters[len(letters) - kept // 2 :]
    return f"{''.join(front).rstrip()}…{''.join(back).lstrip()}"


def ticks(low: float, high: float) -> list[int]:
    """Whole numbers from `low` to `high`: all of them, or about ten at equal distances, and both ends."""
    first, last = round(low), round(high)
    step = max(1, -(-(last - first) // (TICKS_AT_MOST - 2)))
    found = list(range(first, last + 1, step))
    return found if found[-1] == last else [*(tick for tick in found if last - tick >= step / 2), last]
