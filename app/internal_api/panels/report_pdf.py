"""A report as PDF, written by a child process: the server loads neither the fonts nor what draws with them.

The exporter runs this module; it reads the report as JSON from standard input and writes the PDF to standard output.
"""

import logging
import re
import sys
import unicodedata
from importlib.resources import files
from pathlib import Path

from fpdf import FPDF

from app.internal_api.children import limit_resources
from app.internal_api.panels.report import Block, Distribution, Heading, Paragraph, Report, blocks

SECONDS, MEMORY = 300, 1024**3
FACE, FALLBACKS = "KurintoSans", ("KurintoSansSC", "KurintoSansJP", "KurintoSansKR", "KurintoSansTC")
SIZES = {1: 20, 2: 14, 3: 11}  # points
INK, FAINT = 40, 110
PLAIN = re.compile("[\n -\u02ff\u0370-\u052f\u2010-\u2027\u20a0-\u22ff]*")  # Latin, Greek, Cyrillic, signs
LONGEST_LABEL = 300  # a row of a table must fit on a page


class Document(FPDF):
    """A4 with numbered pages."""

    def footer(self) -> None:
        """The page's number, at the foot of each."""
        self.set_y(-14)
        self.write_text(str(self.page_no()), size=9, grey=FAINT, align="C")

    def write_text(self, text: str, *, size: int = 10, style: str = "", grey: int = INK, align: str = "") -> None:
        """Paragraphs in the direction of their first letter."""
        self.set_font(FACE, style, size)
        self.set_text_color(grey)
        self.set_text_shaping(use_shaping_engine=PLAIN.fullmatch(text) is None)  # it makes writing five times slower
        directions = (unicodedata.bidirectional(sign) for sign in text)
        first = next((each for each in directions if each in {"L", "R", "AL"}), "L")
        self.multi_cell(0, size * 0.5, text, align=align or first[0].replace("A", "R"), new_x="LMARGIN", new_y="NEXT")

    def write_block(self, block: Block) -> None:
        """One block of the report, with the space behind it."""
        match block:
            case Heading():
                if self.will_page_break(25):
                    self.add_page()  # no heading at the foot of a page
                self.write_text(block.text, size=SIZES[block.level], style="B")
            case Paragraph():
                self.write_text(block.text)
            case Distribution():
                self.set_font(FACE, "", 9)
                self.set_text_shaping(use_shaping_engine=True)
                rows = [(each.value[:LONGEST_LABEL], str(each.count), f"{each.share:.0%}") for each in block.shares]
                with self.table([("Answer", "n", "Share"), *rows], col_widths=(70, 15, 15)):
                    pass  # drawn when the context ends
            case _:
                self.write_text(block.speaker, size=9, style="B")
                self.write_text(block.text, size=9, grey=FAINT)
        self.ln(2)


def write_pdf(report: Report) -> bytes:
    """The whole report."""
    document = Document(format="A4")
    document.alias_nb_pages("")  # "{nb}" in an answer is not the number of pages
    fonts = Path(str(files("weblate_fonts"))) / "static/weblate_fonts/kurinto/ttf"
    document.add_font(FACE, "B", fonts / f"{FACE}-Bd.ttf")
    for name in (FACE, *FALLBACKS):
        document.add_font(name, "", fonts / f"{name}-Rg.ttf")
    document.set_fallback_fonts(list(FALLBACKS), exact_match=False)
    document.set_title(report.study)
    document.set_margin(20)
    document.add_page()
    for block in blocks(report):
        document.write_block(block)
    return bytes(document.output())


if __name__ == "__main__":
    limit_resources(SECONDS, MEMORY)
    logging.disable(logging.WARNING)  # the libraries report tables of the fonts that they leave out
    sys.stdout.buffer.write(write_pdf(Report.model_validate_json(sys.stdin.buffer.read())))
