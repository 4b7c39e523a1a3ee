"""Lengths are millimetres, letters are points; and the colours are told apart in grey."""

from itertools import pairwise

import pytest

from mcp_server.toolsets.panels._exports.pdf import look
from mcp_server.toolsets.panels._exports.pdf.look import Style
from mcp_server.toolsets.panels._exports.pdf.stacks import brightness


def test_a_line_is_as_high_as_its_letters_and_their_leading() -> None:
    assert Style(72, leading=1.5).line == pytest.approx(25.4 * 1.5)


def test_a_style_in_another_face_keeps_its_size_and_its_colour() -> None:
    style = Style(9, "", look.GREY)

    assert style.but(face="B") == Style(9, "B", look.GREY)
    assert style.but(colour=look.INK) == Style(9, "", look.INK)


def test_neighbours_in_a_stack_differ_in_grey() -> None:
    assert all(abs(brightness(one) - brightness(next_)) > 35 for one, next_ in pairwise(look.SERIES))
