"""The paper: an FPDF that puts single lines, boxes and strokes where it is told, and tags what it puts.

fpdf2 shapes and reorders what needs it. Plain text goes past all that, which makes large reports ten times as fast.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal, Self

from fpdf import FPDF
from fpdf.fonts import TTFFont

from mcp_server.toolsets.panels._exports.pdf import look
from mcp_server.toolsets.panels._exports.pdf.directions import runs
from mcp_server.toolsets.panels._exports.pdf.faces import Fonts
from mcp_server.toolsets.panels._exports.pdf.look import Colour, Style
from mcp_server.toolsets.panels._exports.pdf.reading import LACKING

Align = Literal["L", "C", "R"]

FAMILY = "report"
LACKS = f"{LACKING} stands for a character that the fonts here lack. The other formats of this export hold it."
SHAPED_FROM = 10.0
"""Points: letters from this size on are kerned."""

_COMPLEX = re.compile(
    "[\u0300-\u036f\u0590-\u109f\u1100-\u11ff\u1700-\u1cff\ua800-\uabff\ufb1d-\ufdff\ufe70-\ufeff\U00010800-\U00011fff]"
)
"""Marks, right-to-left scripts, and scripts whose letters join: a superset costs time only."""


class Sheet(FPDF):
    """`name` stands at the top of every page."""

    def __init__(self, fonts: Fonts, chars: frozenset[str], name: str) -> None:
        super().__init__(unit="mm", format="A4")
        self._name, self._lacks = name, False
        self._advances = fonts.advances
        self._odd = frozenset(c for c in chars if not fonts.plain(c) or _COMPLEX.match(c))
        self._widths: dict[tuple[str, str], float] = {}
        self._marks: dict[int, int] = {}
        self.str_alias_nb_pages = ""
        self.set_auto_page_break(auto=False)
        self.set_margin(0)
        self.c_margin = 0
        for face, path in fonts.main.items():
            self.add_font(FAMILY, face, path)
        for font in fonts.others:
            self.add_font(font.name, "", font.path)
        self.set_fallback_fonts([font.name for font in fonts.others], exact_match=False)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Close the fonts."""
        for font in self.fonts.values():
            if isinstance(font, TTFFont):
                font.close()

    # --- letters ---

    def wide(self, text: str, style: Style) -> float:
        """Width of a line."""
        key = (style.face, text)
        if key not in self._widths:
            self._widths[key] = self._measured(text, style)
        return self._widths[key] * style.size * look.POINT

    def _measured(self, text: str, style: Style) -> float:
        """In letter sizes."""
        if self._odd.isdisjoint(text):
            return sum(map(self._advances[style.face].__getitem__, text))
        return sum(self._shaped_width(run, style, rightward=rightward) for run, rightward in runs(text))

    def _shaped_width(self, run: str, style: Style, *, rightward: bool) -> float:
        self.set_font(FAMILY, style.face, 100)
        with self._shaping("rtl" if rightward else "ltr"):
            return self.get_string_width(run, normalized=True) / look.POINT / 100

    def put(self, x: float, y: float, text: str, style: Style, width: float = 0, align: Align = "L") -> None:
        """One line whose top is `y`, within `width` from `x`. Nothing in it is markup, and no address is a link."""
        if not text.strip(" "):
            return
        self._lacks = self._lacks or LACKING in text
        spare = (width - self.wide(text, style)) if align != "L" else 0.0
        start = x + (spare / 2 if align == "C" else spare)
        self.set_font(FAMILY, style.face, style.size)
        self.set_text_color(*style.colour)
        if style.size < SHAPED_FROM and self._odd.isdisjoint(text):
            self.text(start, y + (0.5 * style.leading + 0.3) * style.size * look.POINT, text)
            return
        for run, rightward in runs(text):
            self._shaped(start, y, run, style, rightward=rightward)
            start += self.wide(run, style)

    def _shaped(self, x: float, y: float, run: str, style: Style, *, rightward: bool) -> None:
        self.set_font(FAMILY, style.face, style.size)
        self.set_xy(x, y)
        with self._shaping("rtl" if rightward else "ltr"):
            self.cell(h=style.line, text=run)
        self.current_font_is_set_on_page = False  # fpdf2 takes it for set although it set it for this cell only

    @contextmanager
    def _shaping(self, direction: str) -> Iterator[None]:
        self.set_text_shaping(use_shaping_engine=True, direction=direction)
        try:
            yield
        finally:
            self.set_text_shaping(use_shaping_engine=False)

    # --- shapes ---

    def box(self, x: float, y: float, width: float, height: float, colour: Colour) -> None:
        """A filled rectangle."""
        self.set_fill_color(*colour)
        self.rect(x, y, width, height, style="F")

    def stroke(self, x: float, y: float, to_x: float, to_y: float, colour: Colour, thick: float = 0.2) -> None:
        """A straight line."""
        self.set_draw_color(*colour)
        self.set_line_width(thick)
        self.line(x, y, to_x, to_y)

    def dot(self, x: float, y: float, radius: float, colour: Colour) -> None:
        """A disc around a point."""
        self.set_fill_color(*colour)
        self.circle(x, y, radius, style="F")

    # --- what readers of the screen hear ---

    @contextmanager
    def tagged(self, tag: str, alt: str | None = None) -> Iterator[None]:
        """Mark what is put inside as a paragraph (`P`), a heading (`H1`…) or a `Figure` with its description.

        Without a tag it is passed over.
        """
        if not tag:
            with self._artifact():
                yield
            return
        mark = self._marks[self.page] = self._marks.get(self.page, -1) + 1
        self._add_marked_content(struct_type=f"/{tag}", mcid=mark, alt_text=alt)
        self._out(f"/{tag} <</MCID {mark}>> BDC")
        yield
        self._out("EMC")

    @contextmanager
    def _artifact(self) -> Iterator[None]:
        self._out("/Artifact BMC")
        yield
        self._out("EMC")

    # --- every page ---

    def header(self) -> None:
        """The panel's name, from the second page on."""
        self._lacks, self.str_alias_nb_pages = False, ""
        if self.page == 1:
            return
        with self._artifact():
            self.put(look.LEFT, 10, self._name, look.NOTE)
            self.stroke(look.LEFT, 16, look.LEFT + look.WIDTH, 16, look.RULE)

    def footer(self) -> None:
        """The page's number, and what the replacement sign means where it stands."""
        with self._artifact():
            if self._lacks:
                self.put(look.LEFT, 282.5, LACKS, look.TINY)
            self._number()

    def _number(self) -> None:
        """The number of pages is asked for here only: everywhere else the same signs are a persona's text."""
        self.set_font(FAMILY, "", look.NOTE.size)
        self.set_text_color(*look.GREY)
        self.set_xy(look.LEFT, 287)
        self.str_alias_nb_pages = "{nb}"
        self.cell(look.WIDTH, 4, f"{self.page} / {{nb}}", align="R")
