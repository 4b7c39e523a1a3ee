"""Parts of a line stand in the order in which Unicode says that they are read."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_server.toolsets.panels._exports.pdf.directions import (
    FROM_LEFT,
    FROM_RIGHT,
    apart,
    marked,
    rightward,
    runs,
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("abc", False),
        ("אבג", True),
        ("سعر", True),
        ("1. אבג abc", True),
        ("(abc) אבג", False),
        ("12", False),
        ("", False),
    ],
)
def test_the_first_letter_decides_from_where_a_text_is_read(text: str, *, expected: bool) -> None:
    assert rightward(text) is expected


def test_a_line_without_other_directions_is_one_part() -> None:
    assert runs("25 € (net)") == [("25 € (net)", False)]


def test_a_number_inside_words_that_are_read_from_the_right_stands_between_them() -> None:
    assert runs("say אב (25 €) גד, so") == [
        ("say ", False),
        (" €) גד", True),
        ("25", False),
        ("אב (", True),
        (", so", False),
    ]


def test_a_line_that_is_read_from_the_right_begins_there() -> None:
    assert runs("אב 25 abc") == [("abc", False), (" ", True), ("25", False), ("אב ", True)]


def test_a_figure_stays_behind_the_name_that_it_follows() -> None:
    assert runs(f"{apart('אב')}: 3 of 22") == [("אב", True), (": 3 of 22", False)]
    assert runs("אב: 3 of 22") != runs(f"{apart('אב')}: 3 of 22")


def test_plain_names_are_left_alone() -> None:
    assert apart("Mia") == "Mia"


def test_a_line_is_marked_only_when_it_would_be_read_otherwise_than_its_paragraph() -> None:
    assert marked("abc", like=False) == "abc"
    assert marked("abc", like=True) == f"{FROM_RIGHT}abc"
    assert marked("אב abc", like=False) == f"{FROM_LEFT}אב abc"


@given(st.text(alphabet="ab אבגע12.()٣\u200c", max_size=30))
def test_no_sign_is_lost_or_made(text: str) -> None:
    assert sorted("".join(run for run, _ in runs(text))) == sorted(text)
