"""Codes for people: easy to type, and understood however they are typed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oauth.flows import user_codes

codes = st.text(user_codes.ALPHABET, min_size=8, max_size=8)


def test_a_new_code_has_eight_letters_that_nobody_confuses() -> None:
    made = {user_codes.new_user_code() for _ in range(50)}

    assert len(made) == 50
    assert all(user_codes.read(code) == code for code in made)
    assert not set("".join(made)) & set("AEIOUY01")


@given(codes)
def test_a_code_is_read_as_it_is_shown_in_any_case_and_with_any_gaps(code: str) -> None:
    shown = user_codes.shown(code)

    assert (len(shown), shown[4]) == (9, "-")
    for typed in (
        shown,
        shown.lower(),
        f" {code[:2]} {code[2:]} ",
        shown.replace("-", "\u2013"),
        shown.replace("-", "_"),
    ):
        assert user_codes.read(typed) == code


@pytest.mark.parametrize(
    "typed", ["", "BCDF", "BCDF-GHJA", "BCDF-GHJKL", "BCDF-GHJ1", "BCDFGHJ\u0138", "B" * 9_000, "B-" * 8]
)
def test_what_has_not_the_form_of_a_code_is_none(typed: str) -> None:
    expected = "B" * 8 if typed == "B-" * 8 else None

    assert user_codes.read(typed) == expected
