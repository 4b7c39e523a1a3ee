"""Fonts are chosen by what a report needs."""

from pathlib import Path

import pytest

from mcp_server.toolsets.panels._exports.pdf.faces import Fonts, open_fonts


@pytest.mark.parametrize(
    "sample", ["Ünïcødé", "Ελληνικά", "Оля", "שלום", "السعر", "ราคา", "कीमत", "ფასი", "▯\u2013“”…→•"]
)
def test_the_main_font_has_most_scripts_of_the_world_in_every_face(fonts: Fonts, sample: str) -> None:
    for face in fonts.main:
        assert set(sample) <= set(fonts.advances[face])


def test_letters_have_their_widths(fonts: Fonts) -> None:
    assert 0 < fonts.advances[""]["i"] < fonts.advances[""]["m"] < 1.2


def test_no_other_font_is_opened_where_the_main_one_is_enough(tmp_path: Path) -> None:
    assert open_fonts(tmp_path, frozenset("abcé")).others == ()


def test_a_symbol_brings_the_font_that_has_it(tmp_path: Path) -> None:
    opened = open_fonts(tmp_path, frozenset("a☎"))

    assert len(opened.others) == 1
    assert opened.covers("☎")
    assert not opened.covers("\ue123")
    assert opened.others[0].path.exists()


@pytest.mark.parametrize("text", ["王小明", "サービス", "한국어", "ภาษาไทย", "हिन्दी", "አማርኛ"])
def test_nearly_every_living_script_has_a_font(tmp_path: Path, text: str) -> None:
    opened = open_fonts(tmp_path, frozenset(text))

    assert all(opened.covers(char) for char in text)
