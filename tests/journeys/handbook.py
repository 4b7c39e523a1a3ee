"""A real document of several pages: the crew's handbook of a ferry, as a PDF, and what a reader may ask about it."""

from dataclasses import dataclass
from functools import cache
from pathlib import Path

from fpdf import FPDF

PAGES = tuple((Path(__file__).parent / "ferry.txt").read_text("utf-8").split("===\n"))
TITLE = "Corran Sound ferry: handbook for the crew"


@dataclass(frozen=True)
class Question:
    """What is asked, and where in the document the answer stands, in which words."""

    words: str
    fact: str
    page: int


ANSWERED = (
    Question("At what wind is the ferry service suspended?", "more than 43 knots for ten minutes", 2),
    Question("After how many crossings is the drive rope replaced?", "after 9,000 crossings", 3),
    Question("How long is what is found on board kept in the chest?", "ninety days", 5),
)
UNANSWERED = "Which vaccines does a puppy need in its first year?"


@cache
def handbook() -> bytes:
    """The PDF: each part of the text begins a page and fits on it."""
    pdf = FPDF()
    pdf.set_title(TITLE)
    pdf.set_auto_page_break(auto=False)
    pdf.set_font("Helvetica", size=10)
    for part in PAGES:
        heading, _, text = part.partition("\n\n")
        pdf.add_page()
        pdf.set_font_size(16)
        pdf.cell(text=heading, new_x="LMARGIN", new_y="NEXT", h=12)
        pdf.set_font_size(10)
        for paragraph in text.strip().split("\n\n"):
            pdf.multi_cell(w=0, h=5.5, text=paragraph, new_x="LMARGIN", new_y="NEXT")
            pdf.ln(3)
    return bytes(pdf.output())
