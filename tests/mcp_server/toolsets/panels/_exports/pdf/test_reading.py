"""Every text of a report is printable before anything else sees it."""

import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_server.toolsets.panels._exports.pdf.reading import LACKING, printable, read_report
from mcp_server.toolsets.panels._exports.pdf_process import told
from tests.mcp_server.toolsets.panels.reports import KINDS, report_with


@pytest.mark.parametrize(
    ("char", "expected"),
    [
        ("a", "a"),
        ("\xa0", "\xa0"),
        ("\n", "\n"),
        ("\u2028", "\n"),
        ("\t", " "),
        ("\u2003", " "),
        ("\x00", ""),
        ("\x1b", ""),
        ("\u202e", ""),
        ("\u2066", ""),
        ("\ufeff", ""),
        ("\u200d", "\u200d"),
        ("\ufe0f", ""),
        ("\U0001f3fd", ""),
    ],
)
def test_what_a_font_has_is_printed_and_what_nobody_sees_is_dropped(char: str, expected: str) -> None:
    assert printable(char, lambda found: found not in "\ufe0f\U0001f3fd") == expected


@pytest.mark.parametrize("char", ["价", "😀", "\ue000", "\ufffd"])
def test_what_no_font_has_becomes_a_sign(char: str) -> None:
    assert printable(char, lambda _: False) == LACKING


@given(st.characters())
def test_no_sign_that_turns_or_controls_text_gets_through(char: str) -> None:
    printed = printable(char, lambda _: True)

    assert printed in {"", " ", "\n", "\xa0", "\u200c", "\u200d"} or unicodedata.category(printed)[0] not in "CZ"


def test_every_text_of_a_report_is_mended_and_its_characters_are_told(tmp_path: Path) -> None:
    report = report_with(["a\u202eb\x07\r\nc", "e\u0301"], kinds=KINDS[3:], panel="P\x00anel")

    read, fonts, chars = read_report(told(report), tmp_path)

    assert read.panel == "Panel"
    assert [reply.message for reply in read.sections[0].asked.replies] == ["ab\nc", "é"]
    assert [answer.message for answer in read.sections[0].result.answers] == ["ab\nc", "é"]
    assert {"é", LACKING} <= chars
    assert fonts.covers("é")
