"""How the report looks: the page, its colours, its letters. Lengths are millimetres, letters are points."""

from dataclasses import dataclass, replace
from typing import Literal, Self

Colour = tuple[int, int, int]
Face = Literal["", "B", "I"]

POINT = 25.4 / 72
"""Millimetres."""

PAGE_WIDTH, PAGE_HEIGHT = 210.0, 297.0
LEFT, TOP, BOTTOM = 18.0, 22.0, 279.0
WIDTH = PAGE_WIDTH - 2 * LEFT
ROOM = BOTTOM - TOP
"""Of a page, for what flows."""

INK: Colour = (31, 41, 51)
GREY: Colour = (86, 97, 110)
RULE: Colour = (203, 210, 217)
PALE: Colour = (243, 245, 248)
WHITE: Colour = (255, 255, 255)
ACCENT: Colour = (11, 79, 108)
BAR: Colour = (46, 124, 168)
AMBER: Colour = (180, 95, 6)
AMBER_PALE: Colour = (253, 246, 234)

SERIES: tuple[Colour, ...] = (
    (0, 114, 178),
    (240, 228, 66),
    (213, 94, 0),
    (86, 180, 233),
    (0, 130, 95),
    (230, 159, 0),
    (150, 80, 130),
    (205, 205, 205),
)
"""After Okabe and Ito, who chose them for every kind of sight. Dark and light alternate, so they differ in grey."""


@dataclass(frozen=True, slots=True)
class Style:
    """How letters look. `leading` is the distance of lines, in letter sizes."""

    size: float
    face: Face = ""
    colour: Colour = INK
    leading: float = 1.36

    @property
    def line(self) -> float:
        """Height of a line."""
        return self.size * POINT * self.leading

    def but(self, *, face: Face | None = None, colour: Colour | None = None) -> Self:
        """The same size in another face or colour."""
        return replace(self, face=self.face if face is None else face, colour=colour or self.colour)


TITLE = Style(25, "B", WHITE, 1.2)
HEADING = Style(15, "B", ACCENT, 1.25)
SUBHEADING = Style(10.5, "B", ACCENT, 1.3)
BODY = Style(9.5)
SMALL = Style(8)
NOTE = Style(8, "", GREY)
TINY = Style(7, "", GREY)
DENSE = Style(7.6, "", INK, 1.32)
"""For the table of all answers."""
