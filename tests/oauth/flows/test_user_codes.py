"""Codes for people: easy to type, and understood however they are typed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oauth.flows.device import ALPHABET, new_user_code, read_user_code, shown_user_code

codes = st.text(ALPHABET, min_size=8, max_size=8)


def test_a_new_code_has_eight_letters_that_nobody_confuses() -> None:
    made = {new_user_code() for _ in range(50)}

    assert len(made) == 50
    assert all(read_user_code(code) == code for code in made)
    assert not set("".join(made)) & set("AEIOUY01")


@given(codes)
def test_a_code_is_read_as_it_is_shown_in_any_case_and_with_any_gaps(code: str) -> None:
    shown = shown_user_code(code)

    assert (len(shown), shown[4]) == (9, "-")
    for typed in (
        shown,
        shown.lower(),
        f" {code[:2]} {code[2:]} ",
        shown.replace("-", "\u2013"),
        shown.replace("-", "_"),
    ):
        assert read_user_code(typed) == code


@pytest.mark.parametrize(
    "typed", ["", "BCDF", "BCDF-GHJA", "BCDF-GHJKL", "BCDF-GHJ1", "BCDFGHJ\u0138", "B" * 9_000, "B-" * 8]
)
def test_what_has_not_the_form_of_a_code_is_none(typed: str) -> None:
    expected = "B" * 8 if typed == "B-" * 8 else None

    assert read_user_code(typed) == expected
