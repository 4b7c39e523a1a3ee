"""The fonts: FiraGO for most of the world's scripts, and what else is installed for characters that it lacks."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path

import pymupdf_fonts
from fontTools.ttLib import TTFont

from mcp_server.toolsets.panels._exports.pdf.look import Face
from mcp_server.toolsets.panels._exports.pdf.outlines import truetype

MAIN: dict[Face, str] = {"": "figo", "B": "figbo", "I": "figit"}
"""Names in `pymupdf_fonts`."""
SYMBOLS = ("symbol2", "symbol1", "math")
WORLD = "weblate_fonts"
"""A wheel with Kurinto, which has CJK and almost every living script."""


@dataclass(frozen=True, slots=True)
class Font:
    """A font file, and the characters that it has."""

    name: str
    path: Path
    covers: frozenset[int]


@dataclass(frozen=True, slots=True)
class Fonts:
    """`advances` are the widths of characters in letter sizes; `others` are asked in turn for what MAIN lacks."""

    main: dict[Face, Path]
    advances: dict[Face, dict[str, float]]
    others: tuple[Font, ...]

    def plain(self, char: str) -> bool:
        """Whether every face of the main font has it."""
        return all(char in widths for widths in self.advances.values())

    def covers(self, char: str) -> bool:
        return self.plain(char) or any(ord(char) in font.covers for font in self.others)


def open_fonts(folder: Path, chars: frozenset[str]) -> Fonts:
    """Lay the fonts that `chars` need into `folder`, where they must stay until the document is finished."""
    main = {face: _laid(folder, name) for face, name in MAIN.items()}
    advances = {face: _advances(path) for face, path in main.items()}
    fonts = Fonts(main, advances, ())
    missing = {ord(char) for char in chars if not fonts.plain(char)}
    return replace(fonts, others=tuple(_chosen(missing, folder)))


def _laid(folder: Path, name: str) -> Path:
    path = folder / f"{name}.ttf"
    path.write_bytes(pymupdf_fonts.myfont(name))
    return path


def _advances(path: Path) -> dict[str, float]:
    with TTFont(path, lazy=True) as font:
        scale = font["head"].unitsPerEm
        widths = font["hmtx"].metrics
        return {chr(code): widths[glyph][0] / scale for code, glyph in font.getBestCmap().items()}


def _chosen(missing: set[int], folder: Path) -> Iterator[Font]:
    """The font that has most of what is missing goes first, so that a text keeps one look; of equals the first."""
    candidates = list(_others(folder)) if missing else []
    while candidates:
        best = max(candidates, key=lambda font: len(font.covers & missing))
        if not best.covers & missing:
            return
        yield replace(best, path=truetype(best.path, best.covers & missing, folder))
        missing = missing - best.covers
        candidates.remove(best)


def _others(folder: Path) -> Iterator[Font]:
    for name in SYMBOLS:
        yield _font(name, _laid(folder, name))
    spec = find_spec(WORLD)  # found, not imported: its files are wanted, not its code
    for place in (spec.submodule_search_locations or ()) if spec else ():
        for path in sorted(Path(place).rglob("Kurinto*-Rg.ttf")):
            yield _font(path.stem.lower(), path)


def _font(name: str, path: Path) -> Font:
    with TTFont(path, lazy=True) as font:
        return Font(name, path, frozenset(font.getBestCmap()))
