"""Fonts with PostScript outlines, made into TrueType: the PDF writer embeds every font as that.

What it embeds of the others breaks ISO 32000, 9.9: strict readers show none of their letters, or refuse the page.
"""

from collections.abc import Collection
from pathlib import Path

from fontTools.pens.cu2quPen import Cu2QuPen
from fontTools.pens.ttGlyphPen import TTGlyphPen
from fontTools.subset import Options, Subsetter
from fontTools.ttLib import TTFont, newTable

ERROR = 0.001
"""Of the letter size: how far a curve may lie beside the original."""

TRUETYPE = "\x00\x01\x00\x00"
NO_PROGRAMS = {
    "maxZones": 1,
    "maxTwilightPoints": 0,
    "maxStorage": 0,
    "maxFunctionDefs": 0,
    "maxInstructionDefs": 0,
    "maxStackElements": 0,
    "maxSizeOfInstructions": 0,
}


def truetype(path: Path, characters: Collection[int], folder: Path) -> Path:
    """A font file with TrueType outlines of `characters`: that at `path` if it has such, else a new one in `folder`."""
    with TTFont(path, recalcTimestamp=False) as font:
        if "glyf" in font:
            return path
        _reduce(font, characters)
        _redraw(font)
        made = folder / f"{path.stem}-truetype.ttf"
        font.save(made)
        return made


def _reduce(font: TTFont, characters: Collection[int]) -> None:
    """To convert all letters would take seconds."""
    options = Options(layout_features=[], hinting=False, notdef_outline=True, recalc_timestamp=False)
    subsetter = Subsetter(options)
    subsetter.populate(unicodes=characters)
    subsetter.subset(font)


def _redraw(font: TTFont) -> None:
    names, drawn = font.getGlyphOrder(), font.getGlyphSet()
    glyphs = {}
    for name in names:
        pen = TTGlyphPen(None)
        drawn[name].draw(Cu2QuPen(pen, ERROR * font["head"].unitsPerEm, reverse_direction=True))
        glyphs[name] = pen.glyph()
    font["loca"], font["glyf"] = newTable("loca"), newTable("glyf")
    font["glyf"].glyphOrder, font["glyf"].glyphs = names, glyphs
    for table in {"CFF ", "CFF2", "VORG"} & set(font.keys()):
        del font[table]
    vars(font["maxp"]).update(NO_PROGRAMS, tableVersion=0x00010000)
    vars(font["post"]).update(formatType=2.0, extraNames=[], mapping={}, glyphOrder=names)
    font.sfntVersion = TRUETYPE
