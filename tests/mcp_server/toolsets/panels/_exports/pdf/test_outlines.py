"""Every font that is embedded has TrueType outlines."""

from pathlib import Path

import pymupdf_fonts
import pytest
from fontTools.pens.areaPen import AreaPen
from fontTools.ttLib import TTFont

from mcp_server.toolsets.panels._exports.pdf.faces import open_fonts
from mcp_server.toolsets.panels._exports.pdf.outlines import truetype


def laid(folder: Path, name: str) -> Path:
    path = folder / f"{name}.ttf"
    path.write_bytes(pymupdf_fonts.myfont(name))
    return path


def area(path: Path, char: str) -> float:
    """What a letter covers, without its direction: curves run the other way round in TrueType."""
    with TTFont(path) as font:
        letters = font.getGlyphSet()
        pen = AreaPen(letters)
        letters[font.getBestCmap()[ord(char)]].draw(pen)
        return abs(float(pen.value))


@pytest.mark.parametrize(("name", "char"), [("symbol2", "☎"), ("symbol1", "🜀"), ("math", "∮")])
def test_letters_look_as_they_did(tmp_path: Path, name: str, char: str) -> None:
    path = laid(tmp_path, name)

    made = truetype(path, {ord(char)}, tmp_path)

    assert area(made, char) == pytest.approx(area(path, char), rel=0.01)
    with TTFont(made) as new, TTFont(path) as old:
        assert (new.sfntVersion, "CFF " in new) == ("\x00\x01\x00\x00", False)
        assert new["hmtx"][new.getBestCmap()[ord(char)]][0] == old["hmtx"][old.getBestCmap()[ord(char)]][0]
        assert set(new.getBestCmap()) == {ord(char)}


def test_a_font_with_such_outlines_is_used_as_it_is(tmp_path: Path) -> None:
    path = laid(tmp_path, "figo")

    assert truetype(path, {ord("a")}, tmp_path / "nowhere") == path


def test_equal_characters_make_equal_files(tmp_path: Path) -> None:
    path = laid(tmp_path, "symbol2")
    first, second = tmp_path / "first", tmp_path / "second"
    first.mkdir()
    second.mkdir()

    assert truetype(path, {0x260E}, first).read_bytes() == truetype(path, {0x260E}, second).read_bytes()


def test_no_font_of_a_report_has_other_outlines(tmp_path: Path) -> None:
    opened = open_fonts(tmp_path, frozenset("a☎🜀∮王"))

    assert opened.others
    assert all(opened.covers(char) for char in "☎🜀∮王")
    for font in opened.others:
        with TTFont(font.path) as read:
            assert "glyf" in read
