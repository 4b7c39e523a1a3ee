"""Lines are no wider than they may be, and nothing is lost between them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_server.toolsets.panels._exports.pdf.breaking import break_lines, clusters, cut


def lines(text: str, width: int) -> list[str]:
    return break_lines(text, width, len)


@pytest.mark.parametrize(
    ("text", "width", "expected"),
    [
        ("one two three", 8, ["one two", "three"]),
        ("one two three", 7, ["one two", "three"]),
        ("one  two", 3, ["one", "two"]),
        ("", 5, [""]),
        ("  ", 5, [""]),
        ("abcdefgh", 3, ["abc", "def", "gh"]),
        ("no longer-than this", 10, ["no longer-", "than this"]),
        ("either/or", 7, ["either/", "or"]),
        ("2026-11-21", 8, ["2026-11-", "21"]),
        ("1\xa0000 km", 5, ["1\xa0000", "km"]),
        ("价格太高了", 2, ["价格", "太高", "了"]),
        ("价格。高", 2, ["价", "格。", "高"]),
    ],
)
def test_lines_end_where_readers_expect_it(text: str, width: int, expected: list[str]) -> None:
    assert lines(text, width) == expected


TEXTS = st.text(alphabet="ab -/价。\u0301\u200dก", max_size=60)


@given(text=TEXTS, width=st.integers(3, 12))
def test_no_line_is_too_wide_unless_it_is_one_letter_with_its_marks(text: str, width: int) -> None:
    assert all(len(line) <= width or len(list(clusters(line))) == 1 or "。" in line for line in lines(text, width))


@given(text=TEXTS, width=st.integers(1, 12))
def test_nothing_but_blanks_is_lost(text: str, width: int) -> None:
    assert "".join(lines(text, width)).replace(" ", "") == text.replace(" ", "")


def test_letters_keep_their_marks_and_joined_signs_stay_together() -> None:
    assert list(clusters("e\u0301ก\u0e35x👩\u200d💻")) == ["e\u0301", "ก\u0e35", "x", "👩\u200d💻"]


@pytest.mark.parametrize(
    ("text", "most", "expected"),
    [
        ("short", 5, "short"),
        ("a few words here", 13, "a few words…"),
        ("abcdefgh", 5, "abcd…"),
        ("abce\u0301fgh", 5, "abc…"),
        ("ab", 1, "…"),
    ],
)
def test_what_is_too_long_is_cut_after_a_whole_word_or_a_whole_letter(text: str, most: int, expected: str) -> None:
    assert cut(text, most) == expected


@given(text=st.text(max_size=40), most=st.integers(1, 40))
def test_a_cut_text_is_never_longer_than_allowed(text: str, most: int) -> None:
    assert len(cut(text, most)) <= most
