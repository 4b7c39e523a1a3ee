"""Notes on how to answer."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.internal_api.panels.understanding.instructions import without_instructions


@pytest.mark.parametrize(
    "text",
    [
        "(select all that apply) tea, ale",
        "please select one: tea, ale",
        "select all that apply. tea, ale",
        "options: tea, ale",
        "tea, ale (max. 2)",
        "tea, ale. pick up to two",
        "tea, ale. why?",
        "(puede elegir varias) tea, ale",
        "(plusieurs reponses possibles) tea, ale",
        "bitte alles zutreffende ankreuzen: tea, ale",
        "tea, ale (please specify)",
    ],
)
def test_what_says_how_to_answer_is_left_out(text: str) -> None:
    assert without_instructions(text).strip(" .?") == "tea, ale"


@pytest.mark.parametrize("text", ["tea, max", "tea (hot), ale", "anna, mark", "tea; pick", "select"])
def test_what_may_be_an_option_stays(text: str) -> None:
    assert without_instructions(text) == text


@given(st.text(alphabet="selct on:.()\n", max_size=60))
def test_the_length_stays(text: str) -> None:
    assert len(without_instructions(text)) == len(text)
