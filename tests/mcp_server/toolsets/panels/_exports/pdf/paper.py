"""A sheet that remembers what was put on it and where, and reports as readers see them."""

import io
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pypdf import PdfReader

from mcp_server.toolsets.panels._exports.pdf.blocks import Block, flow
from mcp_server.toolsets.panels._exports.pdf.document import write_pdf
from mcp_server.toolsets.panels._exports.pdf.faces import Fonts
from mcp_server.toolsets.panels._exports.pdf.look import Colour, Style
from mcp_server.toolsets.panels._exports.pdf.sheet import Align, Sheet
from mcp_server.toolsets.panels._exports.pdf_process import told
from mcp_server.toolsets.panels._report import Report
from tests.mcp_server.toolsets.panels.reports import report_of

HEBREW = "שלום"
ARABIC = "السعر"
CHARS = frozenset(HEBREW + ARABIC) | frozenset(told(report_of(groups=8, each=12)).decode())
"""What the tests print."""


@dataclass(frozen=True, slots=True)
class Mark:
    """A line of text, or with an empty text a shape."""

    page: int
    x: float
    y: float
    text: str = ""
    width: float = 0
    height: float = 0
    align: Align = "L"
    style: Style | None = None
    colour: Colour | None = None


class Paper(Sheet):
    def __init__(self, fonts: Fonts, chars: frozenset[str] = CHARS) -> None:
        self.marks: list[Mark] = []
        self.tags: list[tuple[str, str | None]] = []
        super().__init__(fonts, chars, "The panel")

    def put(self, x: float, y: float, text: str, style: Style, width: float = 0, align: Align = "L") -> None:
        self.marks.append(Mark(self.page, x, y, text, width, align=align, style=style))
        super().put(x, y, text, style, width, align)

    def box(self, x: float, y: float, width: float, height: float, colour: Colour) -> None:
        self.marks.append(Mark(self.page, x, y, width=width, height=height, colour=colour))
        super().box(x, y, width, height, colour)

    def stroke(self, x: float, y: float, to_x: float, to_y: float, colour: Colour, thick: float = 0.2) -> None:
        self.marks.append(Mark(self.page, x, y, width=to_x - x, height=to_y - y, colour=colour))
        super().stroke(x, y, to_x, to_y, colour, thick)

    @contextmanager
    def tagged(self, tag: str, alt: str | None = None) -> Iterator[None]:
        self.tags.append((tag, alt))
        with super().tagged(tag, alt):
            yield

    # --- what tests ask ---

    @property
    def texts(self) -> list[str]:
        return [mark.text for mark in self.marks if mark.text]

    @property
    def content(self) -> bytes:
        """What the first page says to a viewer."""
        written = self.pages[1].contents
        assert isinstance(written, bytearray)
        return bytes(written)

    def filled(self, colour: Colour) -> list[Mark]:
        return [mark for mark in self.marks if mark.colour == colour and mark.width and mark.height]

    def where(self, text: str) -> Mark:
        return next(mark for mark in self.marks if mark.text == text)


def drawn(paper: Paper, blocks: Iterable[Block]) -> Paper:
    """The paper, with `blocks` below each other on the page that is open, however long it gets."""
    y = 0.0
    for block in blocks:
        with paper.tagged(block.tag, block.alt):
            block.draw(paper, y + block.gap)
        y += block.gap + block.height
    return paper


def flowed(paper: Paper, blocks: Iterable[Block]) -> Paper:
    """The paper, with `blocks` on as many pages as they need; they begin on page 2."""
    flow(paper, blocks)
    return paper


def root(document: PdfReader) -> Any:
    """What the file says of itself."""
    return document.trailer["/Root"]


def bookmarks(document: PdfReader) -> list[tuple[str, int]]:
    """Words and page of each entry of the outline, from the first page on."""
    flat: list[Any] = list(document.outline)
    while any(isinstance(entry, list) for entry in flat):
        flat = [part for entry in flat for part in (entry if isinstance(entry, list) else [entry])]
    return [(entry.title, document.get_destination_page_number(entry) or 0) for entry in flat]


def reading(report: Report) -> PdfReader:
    with tempfile.TemporaryDirectory() as folder:
        return PdfReader(io.BytesIO(write_pdf(told(report), Path(folder))))


def pages(report: Report) -> list[str]:
    """The text of each page, with single blanks."""
    return [" ".join(page.extract_text().split()) for page in reading(report).pages]
