"""A report as PDF, written by a program of its own: the server loads neither the fonts nor what draws with them.

`render` starts this module; it reads the report as JSON from standard input and writes the PDF to standard output.
"""

import logging
import re
import sys
import tempfile
import unicodedata
from collections.abc import Iterable
from pathlib import Path

import pymupdf_fonts
from fpdf import FPDF
from fpdf.fonts import TTFFont

from app.internal_api.models.outputs import Share
from app.internal_api.panels.reports.blocks import Bars, Block, Heading, Paragraph, Quote, blocks
from app.internal_api.panels.reports.report import Report

try:
    import resource
except ImportError:  # Windows: there the parent's clock is the only limit
    resource = None  # type: ignore[assignment]  # a module that is not there

SECONDS = 300
MEMORY = 1024**3  # bytes
FACE = "FiraGO"  # Latin, Greek, Cyrillic, Arabic, Hebrew, Thai, Georgian, Devanagari
FONTS = {"": "figo", "B": "figbo"}
SYMBOLS = ("notos", "cascadia")  # invisible marks, arrows, ticks
SIZES = {1: 20, 2: 14, 3: 11}  # points
TEXT, SMALL = 10, 9  # points
LINE = 1.45  # of the size
MILLIMETRES = 25.4 / 72  # of a point
LABEL, FIGURE = 55, 24  # millimetres
INK, FAINT, BAR = (30, 30, 40), (105, 105, 115), (62, 105, 214)
PAGES = "\ue000" * 4  # stands for the number of pages; private, so that no text of a report holds it
MISSING = "\ufffd"
NO_LETTERS = frozenset({"Cc", "Cs", "Co", "Cn"})
PLAIN = re.compile("[\n -\u02ff\u0370-\u052f\u2010-\u2027\u20a0-\u22ff]*")  # Latin, Greek, Cyrillic, signs
ISOLATED = re.compile("\u2068[^\u2069]*\u2069")
LEFT_OUT = f"Letters that the fonts of this file do not have are shown as {MISSING}; Markdown and CSV hold all of them."


class Page(FPDF):
    """A4 with numbered pages."""

    def footer(self) -> None:
        """The page's number, at the foot of each."""
        self.set_y(-14)
        self.set_font(FACE, size=SMALL)
        self.set_text_color(*FAINT)
        self.cell(0, 8, f"{self.page_no()} / {PAGES}", align="C")


def write_pdf(report: Report) -> bytes:
    """The whole report; blocks are kept together where they fit on a page."""
    page = Page(format="A4")
    page.alias_nb_pages(PAGES)
    with tempfile.TemporaryDirectory() as folder:
        known = add_fonts(page, Path(folder))
        page.set_title(report.study)
        page.set_margin(20)
        page.set_auto_page_break(auto=True, margin=20)
        page.add_page()
        drawn = [_drawn(page, block, known) for block in blocks(report)]
        if not all(drawn):
            _paragraph(page, LEFT_OUT, FAINT)
        return bytes(page.output())


def add_fonts(page: FPDF, folder: Path) -> frozenset[int]:
    """Gives the page its fonts, which it reads from `folder` to the end; returns the code points that they have."""
    for style, name in FONTS.items():
        page.add_font(FACE, style, _file(folder, name))
    for name in SYMBOLS:
        page.add_font(name, "", _file(folder, name))
    page.set_fallback_fonts(list(SYMBOLS), exact_match=False)
    page.set_font(FACE, size=TEXT)
    return frozenset(code for font in page.fonts.values() if isinstance(font, TTFFont) for code in font.cmap)


def shown(text: str, known: frozenset[int]) -> str:
    """The text with a mark for each letter that no font has, and without what is no letter."""
    signs = (sign for sign in text.expandtabs(2) if sign == "\n" or unicodedata.category(sign) not in NO_LETTERS)
    return "".join(sign if ord(sign) in known or sign == "\n" else MISSING for sign in signs)


def right_to_left(text: str) -> bool:
    """By the first letter that has a direction, apart from isolated parts, which have their own."""
    kinds = map(unicodedata.bidirectional, ISOLATED.sub("", text))
    return next((kind != "L" for kind in kinds if kind in {"L", "R", "AL"}), False)


def _file(folder: Path, name: str) -> Path:
    path = folder / f"{name}.ttf"
    path.write_bytes(pymupdf_fonts.myfont(name))
    return path


def _drawn(page: FPDF, block: Block, known: frozenset[int]) -> bool:
    """Draw the block; False when a letter was missing."""
    match block:
        case Heading():
            texts = [shown(block.text, known)]
            _heading(page, block.level, texts[0])
        case Paragraph():
            texts = [shown(block.text, known)]
            _paragraph(page, texts[0], INK)
        case Bars():
            texts = [shown(share.value, known) for share in block.shares]
            _bars(page, zip(texts, block.shares, strict=True))
        case Quote():
            texts = [shown(block.speaker, known), shown(block.text, known)]
            _quotation(page, *texts)
    return not any(MISSING in text for text in texts)


def _text(page: FPDF, size: float, text: str, width: float = 0) -> None:
    page.set_text_shaping(use_shaping_engine=PLAIN.fullmatch(text) is None)  # it makes writing five times slower
    align = "R" if right_to_left(text) else "L"
    page.multi_cell(width, size * MILLIMETRES * LINE, text, align=align, new_x="LMARGIN", new_y="NEXT")


def _heading(page: FPDF, level: int, text: str) -> None:
    size = SIZES[level]
    page.ln(size * MILLIMETRES * 0.6)
    if page.will_page_break(5 * size * MILLIMETRES * LINE):
        page.add_page()  # a heading at the foot of a page has lost its text
    page.set_font(FACE, "B", size)
    page.set_text_color(*INK)
    _text(page, size, text)
    page.ln(1)


def _paragraph(page: FPDF, text: str, colour: tuple[int, int, int]) -> None:
    page.set_font(FACE, "", TEXT)
    page.set_text_color(*colour)
    _text(page, TEXT, text)
    page.ln(1.5)


def _bars(page: FPDF, rows: Iterable[tuple[str, Share]]) -> None:
    page.set_font(FACE, "", SMALL)
    page.set_text_color(*INK)
    page.set_fill_color(*BAR)
    for label, share in rows:
        _bar(page, label, share)
    page.ln(2)


def _bar(page: FPDF, label: str, share: Share) -> None:
    height = SMALL * MILLIMETRES * LINE
    needed = page.multi_cell(LABEL, height, label, dry_run=True, output="HEIGHT")
    if isinstance(needed, float) and page.will_page_break(needed):
        page.add_page()
    top = page.get_y()
    longest = page.epw - LABEL - FIGURE - 4
    if share.count:
        page.rect(page.l_margin + LABEL + 2, top + 0.9, max(longest * share.share, 0.6), height - 1.8, style="F")
    page.set_xy(page.l_margin + LABEL + longest + 4, top)
    page.cell(FIGURE, height, f"{share.count}  ({share.share:.0%})")
    page.set_xy(page.l_margin, top)
    _text(page, SMALL, label, LABEL)


def _quotation(page: FPDF, speaker: str, text: str) -> None:
    page.set_left_margin(page.l_margin + 5)
    page.set_font(FACE, "B", SMALL)
    page.set_text_color(*INK)
    _text(page, SMALL, speaker)
    page.set_font(FACE, "", SMALL)
    page.set_text_color(*FAINT)
    _text(page, SMALL, text)
    page.set_left_margin(page.l_margin - 5)
    page.set_x(page.l_margin)
    page.ln(1.5)


def main() -> None:
    """Read a report from standard input, and write its PDF to standard output."""
    if resource is not None:
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))  # for when the parent is no longer there to stop it
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    logging.disable(logging.WARNING)  # the libraries tell about tables of the fonts that they leave out
    sys.stdout.buffer.write(write_pdf(Report.model_validate_json(sys.stdin.buffer.read())))


if __name__ == "__main__":
    main()
